import { figures } from '../../measurement/figures.ts'
import { prefix } from '../promql.ts'

/** The variables of the dashboards that a metric's series can be chosen by. A test holds them against the list of metrics. */
const chosenBy: Readonly<Record<string, readonly string[]>> = {
  time_to_first_token_seconds: ['gateway', 'model', 'operation', 'app'],
  output_tokens_per_second: ['gateway', 'model', 'operation', 'app'],
  requests_total: ['gateway', 'model', 'operation', 'app'],
  streams_started_total: ['gateway', 'model', 'operation', 'app'],
  tokens_total: ['gateway', 'model', 'app'],
  cost_usd_total: ['gateway', 'model', 'app'],
  time_to_first_answer_seconds: ['gateway', 'model', 'operation'],
  time_to_first_byte_seconds: ['gateway', 'model', 'operation'],
  time_to_headers_seconds: ['gateway', 'model', 'operation'],
  time_per_output_token_seconds: ['gateway', 'model', 'operation'],
  output_chars_per_second: ['gateway', 'model', 'operation'],
  longest_stall_seconds: ['gateway', 'model', 'operation'],
  abandoned_wait_seconds: ['gateway', 'model', 'operation'],
  request_duration_seconds: ['gateway', 'model', 'operation'],
  connection_wait_seconds: ['gateway'],
  proxy_overhead_seconds: ['gateway'],
  mark_uncertainty_seconds: ['gateway'],
  event_loop_stall_seconds: [],
  event_loop_stall_max_seconds: [],
  unmeasured_total: [],
  label_overflow_total: [],
  measurement_errors_total: [],
  build_info: [],
  definitions_info: [],
}

/** Variables for the series of a metric, without suffix of a histogram's. What is not listed has gateway and model. */
export function variablesOf(metric: string): readonly string[] {
  return chosenBy[metric.replace(/_(bucket|count|sum)$/, '')] ?? ['gateway', 'model']
}

/** A series of ours with the dashboard's variables, and more matchers. */
export function series(metric: string, ...more: readonly string[]): string {
  const matchers = [...variablesOf(metric).map((label) => `${label}=~"$${label}"`), ...more]
  return `${prefix}${metric}${matchers.length === 0 ? '' : `{${matchers.join(', ')}}`}`
}

/** Enough samples for a scrape every minute, and the steps of the panel. Grafana fills it in. */
export const rateWindow = '$__rate_interval'
/** What the time picker shows, for tables and totals. */
export const shownRange = '$__range'

export interface Span {
  readonly window?: string
  /** `offset 1d` */
  readonly ago?: string
}

const back = (ago: string | undefined): string => (ago === undefined ? '' : ` offset ${ago}`)

/** Events a second. */
export const rate = (by: string, selected: string, { window = rateWindow, ago }: Span = {}): string =>
  `sum by (${by}) (rate(${selected}[${window}]${back(ago)}))`

/** Events in the window. */
export const growth = (by: string, selected: string, { window = rateWindow, ago }: Span = {}): string =>
  `sum by (${by}) (increase(${selected}[${window}]${back(ago)}))`

/** A quantile of all replicas together; nothing, rather than NaN, where there were no samples. */
export function quantile(q: number, metric: string, by: string, span: Span = {}, ...more: readonly string[]): string {
  const labels = by === '' ? 'le' : `le, ${by}`
  return `histogram_quantile(${q}, ${rate(labels, series(`${metric}_bucket`, ...more), span)}) >= 0`
}

/** A quotient; nothing where the denominator is 0. */
export const ratio = (one: string, all: string): string => `${one} / (${all} > 0)`

/** The quotient's 0 where nothing happened at all. */
export const orZero = (expression: string): string => `(${expression}) or vector(0)`

/** What a figure is, in the words of its definition. */
export function definition(name: string): string {
  const figure = figures.find((candidate) => candidate.name === name)
  if (figure === undefined) throw new Error(`there is no figure ${name}`)
  return `${figure.title}: ${figure.help} (\`${figure.formula}\`)`
}
