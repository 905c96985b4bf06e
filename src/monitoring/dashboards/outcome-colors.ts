import type { Outcome } from '../../measurement/outcomes.ts'

/** Names of Grafana's palette. What is well is green, what is a fault is of a warm colour, whatever else there is in the alphabet. */
export const outcomeColors: Readonly<Record<Outcome, string>> = {
  ok: 'green',
  client_abort: 'blue',
  http_4xx: 'purple',
  rejected: 'light-purple',
  shutdown: 'light-blue',
  rate_limited: 'yellow',
  truncated: 'orange',
  http_5xx: 'red',
  stream_error: 'light-red',
  gateway_error: 'dark-red',
  gateway_timeout: 'dark-orange',
}
