import { figures } from '../measurement/figures.ts'
import type { ExchangeResult } from './exchange-result.ts'

/** A number of one exchange that the bench shows. Those of definitions.md come from the list of figures; nothing is defined twice. */
export interface BenchFigure {
  readonly name: string
  readonly title: string
  /** Head of a column. */
  readonly short: string
  readonly unit: 's' | 'tok/s' | 'char/s' | '1/s' | 'ratio' | 'tok' | 'USD'
  /** `undefined`: neither. */
  readonly better: 'less' | 'more' | undefined
  of(result: ExchangeResult): number | undefined
}

const shorts: Readonly<Record<string, readonly [short: string, better: BenchFigure['better']]>> = {
  time_to_first_token_seconds: ['TTFT', 'less'],
  time_to_first_answer_seconds: ['first answer', 'less'],
  time_to_first_byte_seconds: ['first byte', 'less'],
  time_to_headers_seconds: ['headers', 'less'],
  connection_wait_seconds: ['connection', 'less'],
  time_per_output_token_seconds: ['TPOT', 'less'],
  output_tokens_per_second: ['tok/s', 'more'],
  output_chars_per_second: ['char/s', 'more'],
  output_events_per_second: ['events/s', undefined],
  blended_tokens_per_second: ['blended tok/s', 'more'],
  longest_stall_seconds: ['longest stall', 'less'],
  burstiness: ['burstiness', undefined],
  request_duration_seconds: ['duration', 'less'],
}

/** Figures that only a proxy has, or that say how good a mark is. */
const defined: readonly BenchFigure[] = figures.flatMap(({ name, title, unit }) => {
  const found = shorts[name]
  if (found === undefined) return []
  return [{ name, title, short: found[0], unit, better: found[1], of: ({ figures }) => figures[name] }]
})

const own: readonly BenchFigure[] = [
  {
    name: 'inter_chunk_seconds',
    title: 'Mean inter-chunk time',
    short: 'inter-chunk',
    unit: 's',
    better: 'less',
    of: ({ meanGapSeconds }) => meanGapSeconds ?? undefined,
  },
  {
    name: 'tokens_per_event',
    title: 'Tokens per output event',
    short: 'tok/event',
    unit: 'ratio',
    better: undefined,
    of: ({ tokensPerEvent }) => tokensPerEvent ?? undefined,
  },
  {
    name: 'output_tokens',
    title: 'Generated tokens',
    short: 'tokens',
    unit: 'tok',
    better: undefined,
    of: ({ tokens }) => tokens?.output ?? undefined,
  },
  {
    name: 'cached_input_tokens',
    title: 'Prompt tokens from a cache',
    short: 'cached',
    unit: 'tok',
    better: undefined,
    of: ({ tokens }) => tokens?.cachedInput ?? undefined,
  },
  {
    name: 'cost_usd',
    title: 'Cost of one answer',
    short: 'cost',
    unit: 'USD',
    better: 'less',
    of: ({ costUsd }) => costUsd ?? undefined,
  },
]

export const benchFigures: readonly BenchFigure[] = [...defined, ...own]

/** Throws for a name that is not in the list. */
export function benchFigure(name: string): BenchFigure {
  const found = benchFigures.find((figure) => figure.name === name)
  if (found === undefined) throw new Error(`no figure is named ${name}`)
  return found
}

/** With its unit and about three significant digits: 0.1234 s is `123 ms`. */
export function showValue(value: number | undefined, unit: BenchFigure['unit']): string {
  return showWithInterval(value, undefined, unit)
}

/** `123 ms [118, 131]`: low and high in the unit of the value. */
export function showWithInterval(
  value: number | undefined,
  interval: { readonly low: number; readonly high: number } | undefined,
  unit: BenchFigure['unit'],
): string {
  if (value === undefined) return '–'
  if (unit === 'USD') return `$${Number(value.toPrecision(3))}`
  const [factor, sign] = unit === 's' ? scaleOf(value) : [1, '']
  const between = interval === undefined ? '' : ` [${digits(interval.low * factor)}, ${digits(interval.high * factor)}]`
  return `${digits(value * factor)}${sign}${between}`
}

function scaleOf(seconds: number): readonly [factor: number, sign: string] {
  const size = Math.abs(seconds)
  if (size >= 1) return [1, ' s']
  return size >= 0.0001 || size === 0 ? [1000, ' ms'] : [1e6, ' µs']
}

/** Three significant digits, more only before the point. */
function digits(value: number): string {
  const size = Math.abs(value)
  if (size >= 100) return value.toFixed(0)
  if (size >= 10) return value.toFixed(1)
  return size === 0 ? '0' : value.toFixed(Math.min(4, 2 - Math.floor(Math.log10(size))))
}
