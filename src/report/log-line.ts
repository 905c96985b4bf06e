import type { StreamMeasurement } from '../measurement/stream-measurement.ts'
import { evaluationOf } from './evaluation.ts'

type Fields = Readonly<Record<string, unknown>>

/** Names and ids from outside are bounded, whatever they hold: no one may make the log grow. */
const longestName = 256
const longestPath = 1024

const round = (value: number, digits: number): number => {
  const factor = 10 ** digits
  return Math.round(value * factor) / factor
}

const bounded = (value: string | undefined, longest = longestName): string | null =>
  value === undefined || value === '' ? null : value.slice(0, longest)

function marksOf({ marks }: StreamMeasurement): Fields {
  const after = (mark: number | undefined): number | null =>
    mark === undefined ? null : round(mark - marks.received, 3)
  return {
    received: 0,
    body_received: after(marks.bodyReceived),
    dispatched: after(marks.dispatched),
    sent: after(marks.sent),
    headers: after(marks.headers),
    first_byte: after(marks.firstByte),
    first_event: after(marks.firstEvent),
    first_reasoning: after(marks.firstReasoning),
    first_answer: after(marks.firstAnswer),
    first_token: after(marks.firstToken),
    last_token: after(marks.lastToken),
    ended: after(marks.ended),
  }
}

/** What was not read (passed through, or a coding that cannot be decoded) has no counts but its bytes. */
function outputOf({ identity, decoding, output }: StreamMeasurement): Fields {
  const read = identity.operation !== undefined && decoding !== 'not_decoded'
  const known = <Value>(value: Value): Value | null => (read ? value : null)
  return {
    events: known(output.all.events),
    chunks: known(output.all.chunks),
    bytes: output.bytes,
    content_chars: known(output.contentChars),
    reasoning_chars: known(output.reasoningChars),
    tool_chars: known(output.toolChars),
    comments: known(output.comments),
    invalid_events: known(output.invalidEvents),
    end_seen: known(output.endSeen),
  }
}

function hintsOf({ identity }: StreamMeasurement): Fields {
  const { cacheControl, promptCacheKey } = identity.cacheHints
  return {
    ...(cacheControl > 0 && { cache_control: cacheControl }),
    ...(promptCacheKey && { prompt_cache_key: true }),
  }
}

function tokensOf({ tokens }: StreamMeasurement): Fields | null {
  if (tokens === undefined) return null
  return {
    input: tokens.input ?? null,
    cached_input: tokens.cachedInput ?? null,
    cache_write_input: tokens.cacheWriteInput ?? null,
    output: tokens.output ?? null,
    reasoning: tokens.reasoning ?? null,
  }
}

/**
 * The exchange log's fields, in their order: a contract (design.md, "The exchange log"). Made of our own fields alone, each named here; nothing
 * is copied as a whole. Marks in ms after `received`, to the microsecond; figures in their metric's unit.
 */
export function logLine(m: StreamMeasurement): Fields {
  const { identity } = m
  const evaluation = evaluationOf(m)
  const passedThrough = identity.operation === undefined
  return {
    msg: 'exchange',
    id: identity.id,
    trace_id: identity.traceId ?? null,
    gateway_request_id: bounded(m.gatewayRequestId),
    started_at: new Date(identity.startedAt).toISOString(),
    gateway: bounded(identity.gateway),
    operation: identity.operation ?? null,
    app: bounded(identity.app),
    model: bounded(identity.model),
    served_model: bounded(m.servedModel),
    provider: bounded(m.provider),
    method: bounded(identity.method),
    path: bounded(identity.path, longestPath),
    status: m.status ?? null,
    streamed: m.streamed,
    outcome: m.outcome,
    error: bounded(m.error),
    finish_reason: bounded(m.finishReason),
    cache: passedThrough ? null : m.cache,
    cache_hints: passedThrough ? null : hintsOf(m),
    marks: marksOf(m),
    output: outputOf(m),
    tokens: tokensOf(m),
    figures: Object.fromEntries(Object.entries(evaluation.figures).map(([name, value]) => [name, round(value, 6)])),
    unmeasured: evaluation.unmeasured,
    flags: evaluation.flags,
    uncertainty_ms: m.uncertaintyMs === undefined ? null : round(m.uncertaintyMs, 3),
    cost_usd: m.costUsd === undefined ? null : round(m.costUsd, 9),
  }
}
