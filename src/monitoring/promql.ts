/** Every metric's prefix. */
export const prefix = 'streamgauge_'

/** A bucket's bound as `/metrics` writes it, and Prometheus 2 and 3 store it. */
export function boundLabel(bound: number): string {
  if (bound < 1e-4 || bound >= 1e6) throw new RangeError(`no rule uses a bound like ${bound}`)
  return Number.isInteger(bound) ? `${bound}.0` : String(bound)
}

/** The labels that alerts of a model and of a gateway bear. */
export const perModel = 'gateway, model'
export const perGateway = 'gateway'

/** Outcomes that are the gateway's failure. Rate limits and truncation have alerts of their own. */
export const failures = 'gateway_error|gateway_timeout|stream_error|http_5xx'

/** `sum by (…) (increase(metric{…}[window]))`, the window as text. */
export function increase(metric: string, matchers: string, window: string, by = perModel): string {
  return `sum by (${by}) (increase(${prefix}${metric}${matchers === '' ? '' : `{${matchers}}`}[${window}]))`
}

/** Joins the lines of an expression. */
export const lines = (...parts: readonly string[]): string => `${parts.join('\n')}\n`
