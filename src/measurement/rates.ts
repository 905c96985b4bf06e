import type { Reason } from './reasons.ts'
import type { PhaseCounts, StreamMeasurement } from './stream-measurement.ts'

/** Seconds-based limits of definitions.md, in milliseconds. */
export const shortestWindowMs = 50
export const fewestTokens = 16
const toleratedPauseMs = 50
const toleratedPauseShare = 0.01

/** What rates are made of: only what arrived, and the time in which it arrived. definitions.md, "Figures". */
export interface Generation {
  /** N: generated tokens that arrived; `undefined` without usage. */
  readonly tokens: number | undefined
  /** N1: those in the first chunk that holds output. */
  readonly firstChunkTokens: number | undefined
  /** E, C, E1, C1. */
  readonly counts: PhaseCounts
  /** From the first to the last output event that counts, ms. */
  readonly windowMs: number
  /** The mark that the window begins with. */
  readonly windowFrom: 'firstToken' | 'firstAnswer'
  readonly buffered: boolean
}

/**
 * N, N1 and the window of one exchange.
 *
 * Reasoning tokens that were not streamed are taken off N; where fewer reasoning code points than reasoning tokens came, what came is a
 * summary, and the answer alone is counted over the answer's own window.
 */
export function generation(m: StreamMeasurement): Generation {
  const reasoning = m.tokens?.reasoning ?? 0
  const reasoningHidden = reasoning > 0 && m.output.reasoningChars < reasoning
  const reasoningIsSummary = reasoningHidden && m.output.reasoningChars > 0
  const counts = reasoningIsSummary ? m.output.answer : m.output.all
  const windowFrom = reasoningIsSummary ? 'firstAnswer' : 'firstToken'
  const from = m.marks[windowFrom]
  const windowMs = from === undefined || m.marks.lastToken === undefined ? 0 : Math.max(0, m.marks.lastToken - from)
  const generated = m.tokens?.output
  const tokens = generated === undefined ? undefined : Math.max(0, reasoningHidden ? generated - reasoning : generated)
  const hiddenBefore = reasoningHidden ? reasoning : 0
  const firstChunkTokens = tokens === undefined ? undefined : tokensInFirstChunk(tokens, counts, hiddenBefore)
  const buffered = isBuffered(m, tokens, firstChunkTokens)
  return { tokens, firstChunkTokens, counts, windowMs, windowFrom, buffered }
}

/** N1: from cumulative usage where every output event carried it, else by the share of events or of characters. */
function tokensInFirstChunk(tokens: number, counts: PhaseCounts, hiddenBefore: number): number {
  if (counts.firstChunkTokens !== undefined && counts.firstChunkTokens > 0) {
    return Math.min(tokens, Math.max(1, counts.firstChunkTokens - hiddenBefore))
  }
  if (counts.events === 0) return 0
  const byEvents = tokens / counts.events <= 1.5 || counts.chars === 0
  const share = byEvents ? counts.firstChunkEvents / counts.events : counts.firstChunkChars / counts.chars
  return Math.max(1, Math.round(tokens * share))
}

/** An intermediary held the stream back. definitions.md, "Buffered". */
function isBuffered(m: StreamMeasurement, tokens: number | undefined, firstChunkTokens: number | undefined): boolean {
  const { all } = m.output
  const textChars = m.output.contentChars + m.output.reasoningChars
  if (all.events < 16 && textChars < 64) return false
  if (all.chunks <= 2) return true
  const { dispatched, firstToken, lastToken } = m.marks
  if (dispatched === undefined || firstToken === undefined || lastToken === undefined) return false
  const windowMs = lastToken - firstToken
  if (windowMs >= 0.05 * (lastToken - dispatched)) return false
  const seconds = windowMs / 1000
  const tokenRate = tokens === undefined ? 0 : (tokens - (firstChunkTokens ?? 0)) / seconds
  return tokenRate > 5000 || (all.chars - all.firstChunkChars) / seconds > 20_000
}

/** Why the stream has no first token, or `undefined` where it has one. */
export function noTokenReason(m: StreamMeasurement): Reason | undefined {
  if (!m.streamed) return 'not_streamed'
  if (m.marks.firstToken !== undefined) return undefined
  const unreadable = m.decoding === 'not_decoded'
  if (m.outcome === 'client_abort') return unreadable ? 'not_decoded' : 'client_left'
  if (m.outcome !== 'ok') return 'error'
  return unreadable ? 'not_decoded' : 'no_output'
}

/** Why no rate can be had whatever its unit; the reasons from `not_streamed` to `backpressure`. */
export function noRateReason(m: StreamMeasurement): Reason | undefined {
  const reason = noTokenReason(m)
  if (reason !== undefined) return reason
  if (m.decoding === 'not_decoded') return 'not_decoded'
  if (m.outcome !== 'ok') return 'incomplete'
  const windowMs = (m.marks.lastToken ?? 0) - (m.marks.firstToken ?? 0)
  if (m.pausedInWindowMs > toleratedPauseMs || m.pausedInWindowMs > toleratedPauseShare * windowMs)
    return 'backpressure'
  return undefined
}

/** Why the stream came in too few pieces: `buffered` or `one_chunk`. A single token is too few, however it comes. */
export function burstReason(m: StreamMeasurement, g: Generation): Reason | undefined {
  if (g.buffered) return 'buffered'
  if (m.output.all.chunks >= 2) return undefined
  return g.tokens === 1 ? 'too_few_tokens' : 'one_chunk'
}

/** Why neither TPOT nor tokens per second can be had, but for too few tokens or too short a window. */
export function noTokenRateReason(m: StreamMeasurement, g: Generation): Reason | undefined {
  const reason = noRateReason(m) ?? (m.output.choices > 1 ? 'many_choices' : undefined) ?? burstReason(m, g)
  if (reason !== undefined) return reason
  if (g.tokens === undefined) return 'no_usage'
  if (g.tokens < g.counts.events) return 'usage_mismatch'
  if (m.reasoningSummarised) return 'summarised_reasoning'
  return undefined
}
