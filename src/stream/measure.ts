import type {
  CacheState,
  MeasurementStage,
  OutputCounts,
  StreamMeasurement,
} from '../measurement/stream-measurement.ts'
import { normaliseUsage, type TokenCounts } from '../measurement/usage.ts'
import type { AnswerFacts } from '../wire/event-reading.ts'
import { firstOf } from './answer-intake.ts'
import { outcomeOf } from './outcome.ts'
import type { StreamAccumulator } from './stream-accumulator.ts'
import type { EndCause } from './stream-observer.ts'

/** The frozen record of an exchange that is over. */
export function measure(a: StreamAccumulator, cause: EndCause): StreamMeasurement {
  const facts = a.intake?.facts
  const decoding = a.intake?.decoding ?? 'plain'
  const status = a.answerHead?.status
  const streamed = isStreamed(a, facts)
  const ending = outcomeOf(cause, {
    status,
    streamed: a.identity.operation !== undefined && streamed,
    readable: decoding !== 'not_decoded' && !a.broken,
    endSeen: facts?.endSeen === true,
    protocolEndSeen: facts?.protocolEndSeen === true,
    error: facts?.error,
  })
  const tokens = facts?.usage === undefined ? undefined : normaliseUsage(facts.usage, facts.inputAccounting)
  const reportedCostUsd = facts?.costUsd ?? a.headerFacts?.costUsd
  return Object.freeze<StreamMeasurement>({
    identity: a.identity,
    marks: Object.freeze({ ...a.marks, ended: a.marks.ended as number }),
    status: a.ownStatus ?? status,
    answered: a.ownStatus === undefined && status !== undefined,
    streamed,
    outcome: ending.outcome,
    error: ending.error,
    finishReason: facts?.finishReason,
    servedModel: facts?.servedModel ?? a.headerFacts?.servedModel,
    provider: facts?.provider ?? a.headerFacts?.provider,
    gatewayRequestId: a.headerFacts?.gatewayRequestId,
    cache: cacheState(a, tokens),
    decoding,
    output: outputCounts(a, facts),
    tokens: tokens === undefined ? undefined : Object.freeze(tokens),
    reasoningSummarised: facts?.reasoningSummarised === true,
    gaps: a.gaps,
    chunkInstants: a.chunkInstants,
    pausedMs: a.pauses.totalMs,
    pausedInWindowMs: a.pausedInWindowMs,
    uncertaintyMs: a.uncertaintyMs,
    resends: a.resends,
    reportedCostUsd,
    costUsd: reportedCostUsd ?? (tokens === undefined ? undefined : a.price?.(tokens)),
    measurementErrors: Object.freeze(measurementErrors(a, facts)),
  })
}

/** By the framing that was read; before the first byte by the content type; without an answer by what was asked. */
function isStreamed(a: StreamAccumulator, facts: AnswerFacts | undefined): boolean {
  if (facts?.streamed !== undefined) return facts.streamed
  const contentType = firstOf(a.answerHead?.headers['content-type'])?.toLowerCase()
  if (contentType === undefined) return a.identity.streamAsked
  return contentType.startsWith('text/event-stream') || contentType.startsWith('application/x-ndjson')
}

function cacheState(a: StreamAccumulator, tokens: TokenCounts | undefined): CacheState {
  if (a.headerFacts?.responseCache === true) return 'response'
  if (tokens?.cachedInput === undefined) return 'unknown'
  return tokens.cachedInput > 0 ? 'hit' : 'miss'
}

function outputCounts(a: StreamAccumulator, facts: AnswerFacts | undefined): OutputCounts {
  const whole = facts?.wholeBody
  return Object.freeze({
    all: a.all.counts(),
    answer: a.answer.counts(),
    bytes: a.bytes,
    contentChars: whole?.contentChars ?? a.contentChars,
    reasoningChars: whole?.reasoningChars ?? a.reasoningChars,
    toolChars: whole?.toolChars ?? a.toolChars,
    comments: facts?.comments ?? 0,
    invalidEvents: facts?.invalidEvents ?? 0,
    skippedEvents: facts?.skippedEvents ?? 0,
    endSeen: facts?.endSeen === true,
    choices: facts?.choices ?? 0,
  })
}

function measurementErrors(a: StreamAccumulator, facts: AnswerFacts | undefined): MeasurementStage[] {
  const errors = [...(a.intake?.errors ?? [])]
  if (a.broken && !errors.includes('observer')) errors.push('observer')
  if (facts?.contentTypeLied === true && !errors.includes('framing')) errors.push('framing')
  if (facts !== undefined && facts.invalidEvents > 0 && !facts.unreadable) errors.push('json')
  if (facts !== undefined && facts.skippedEvents > 0) errors.push('skipped')
  return errors
}
