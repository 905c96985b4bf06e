import { evaluate } from '../measurement/figures.ts'
import type { Outcome } from '../measurement/outcomes.ts'
import { noRateReason } from '../measurement/rates.ts'
import type { Reason } from '../measurement/reasons.ts'
import type { CacheState, Operation, StreamMeasurement } from '../measurement/stream-measurement.ts'
import type { PromptMode } from './prompt.ts'

/** How many streams ran beside it: kept at a number, or as they came. */
export type Load =
  | { readonly kind: 'closed'; readonly concurrency: number }
  | { readonly kind: 'open'; readonly perSecond: number }

/**
 * Why an exchange is not among the kept runs: the `cold` run; `ramp`: the load was not up yet; `spoilt`: the bench's own event loop was held when a
 * mark was taken; `interrupted`: the bench was stopped. A failed exchange is kept: it has no figures, and it counts as failed.
 */
export type LeftOut = 'cold' | 'ramp' | 'spoilt' | 'interrupted'

/** What one exchange was part of. */
export interface Place {
  readonly target: string
  readonly model: string
  readonly operation: Operation
  readonly prompt: string
  readonly mode: PromptMode
  readonly load: Load
  /** From 0; exchanges of one round belong together across targets. */
  readonly round: number
}

/** One exchange as plain data: what the JSON output holds, and all that reports and comparisons are made of. */
export interface ExchangeResult extends Place {
  readonly id: string
  readonly gatewayRequestId: string | null
  /** ISO 8601; for people. */
  readonly startedAt: string
  /** ms after the run began. */
  readonly at: number
  readonly left: LeftOut | null
  readonly status: number | null
  readonly outcome: Outcome
  readonly error: string | null
  readonly finishReason: string | null
  readonly servedModel: string | null
  readonly provider: string | null
  readonly cache: CacheState
  readonly streamed: boolean
  /** ms after `received`; `null`: it did not happen. In an open loop `received` is the scheduled instant, and figures are measured from it. */
  readonly marks: Readonly<Record<string, number | null>>
  /** How much later than scheduled it was handed to the HTTP client, ms; closed loop: `null`. */
  readonly lagMs: number | null
  readonly output: {
    readonly events: number
    readonly chunks: number
    readonly contentChars: number
    readonly reasoningChars: number
    readonly toolChars: number
    readonly comments: number
  }
  readonly tokens: Readonly<
    Record<'input' | 'cachedInput' | 'cacheWriteInput' | 'output' | 'reasoning', number | null>
  > | null
  /** Reasoning: `streamed`, `hidden` (in the usage alone), `summarised`, or `null`: none was seen. */
  readonly reasoning: 'streamed' | 'hidden' | 'summarised' | null
  /** By name, in the unit of the figure. */
  readonly figures: Readonly<Record<string, number>>
  readonly unmeasured: Readonly<Record<string, Reason>>
  /** Generated tokens that arrived, by output events: above 1.5 chunks of the wire are not tokens. */
  readonly tokensPerEvent: number | null
  /** Mean inter-chunk time, seconds. */
  readonly meanGapSeconds: number | null
  readonly buffered: boolean
  /** Usage came with every output event. */
  readonly cumulativeUsage: boolean
  readonly costUsd: number | null
  /** Upper bounds of how late the marks of the first and the last token can be, ms. */
  readonly firstTokenLateMs: number
  readonly lastTokenLateMs: number
  /** When chunks with output came, ms after `received`; thinned. For pictures. */
  readonly instants: readonly number[]
}

export interface Lateness {
  readonly first: number
  readonly last: number
}

const microseconds = (ms: number): number => Math.round(ms * 1000) / 1000

/**
 * @param scheduled the instant at which an open loop wanted to begin it: its figures are measured from there, so that waiting in the bench or for
 *   a connection is not left out
 * @param begin of the run
 */
export function resultOf(
  m: StreamMeasurement,
  place: Place,
  options: { scheduled: number | undefined; left: LeftOut | null; late: Lateness; begin: number },
): ExchangeResult {
  const { scheduled, late } = options
  const asked = scheduled === undefined ? m : { ...m, marks: { ...m.marks, dispatched: scheduled } }
  const { figures, unmeasured, generation } = evaluate(asked)
  const dispatched = m.marks.dispatched ?? m.marks.received
  const marks = Object.entries(m.marks).map(([name, mark]) => {
    return [name, mark === undefined ? null : microseconds((mark as number) - m.marks.received)] as const
  })
  const { all } = m.output
  return {
    ...place,
    id: m.identity.id,
    gatewayRequestId: m.gatewayRequestId ?? null,
    startedAt: new Date(m.identity.startedAt).toISOString(),
    at: microseconds(m.marks.received - options.begin),
    left: options.left,
    status: m.status ?? null,
    outcome: m.outcome,
    error: m.error ?? null,
    finishReason: m.finishReason ?? null,
    servedModel: m.servedModel ?? null,
    provider: m.provider ?? null,
    cache: m.cache,
    streamed: m.streamed,
    marks: Object.fromEntries(marks),
    lagMs: scheduled === undefined ? null : microseconds(dispatched - scheduled),
    output: {
      events: all.events,
      chunks: all.chunks,
      contentChars: m.output.contentChars,
      reasoningChars: m.output.reasoningChars,
      toolChars: m.output.toolChars,
      comments: m.output.comments,
    },
    tokens: tokensOf(m),
    reasoning: reasoningOf(m),
    figures,
    unmeasured,
    tokensPerEvent:
      generation.tokens === undefined || generation.counts.events === 0
        ? null
        : generation.tokens / generation.counts.events,
    meanGapSeconds: m.gaps.count === 0 ? null : m.gaps.sum / m.gaps.count,
    buffered: generation.buffered && noRateReason(m) === undefined,
    cumulativeUsage: all.firstChunkTokens !== undefined && all.firstChunkTokens > 0,
    costUsd: m.costUsd ?? null,
    firstTokenLateMs: microseconds(late.first),
    lastTokenLateMs: microseconds(late.last),
    instants: (m.chunkInstants?.list() ?? []).map((at) => Math.round(at * 10) / 10),
  }
}

function tokensOf({ tokens }: StreamMeasurement): ExchangeResult['tokens'] {
  if (tokens === undefined) return null
  return {
    input: tokens.input ?? null,
    cachedInput: tokens.cachedInput ?? null,
    cacheWriteInput: tokens.cacheWriteInput ?? null,
    output: tokens.output ?? null,
    reasoning: tokens.reasoning ?? null,
  }
}

function reasoningOf(m: StreamMeasurement): ExchangeResult['reasoning'] {
  const counted = m.tokens?.reasoning ?? 0
  const { reasoningChars } = m.output
  if (reasoningChars > 0) return m.reasoningSummarised || reasoningChars < counted ? 'summarised' : 'streamed'
  return counted > 0 ? 'hidden' : null
}

/** Whether the exchange counts among the kept runs. */
export const isKept = (result: ExchangeResult): boolean => result.left === null

export const loadText = (load: Load): string =>
  load.kind === 'closed' ? `${load.concurrency} at once` : `${load.perSecond}/s`
