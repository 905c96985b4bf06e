/** How an exchange ended. definitions.md, "Outcomes". */
export type Outcome =
  | 'ok'
  | 'client_abort'
  | 'gateway_error'
  | 'gateway_timeout'
  | 'truncated'
  | 'stream_error'
  | 'rate_limited'
  | 'http_4xx'
  | 'http_5xx'
  | 'rejected'
  | 'shutdown'

export const outcomes: readonly Outcome[] = [
  'ok',
  'client_abort',
  'gateway_error',
  'gateway_timeout',
  'truncated',
  'stream_error',
  'rate_limited',
  'http_4xx',
  'http_5xx',
  'rejected',
  'shutdown',
]
