import { charRateBuckets, gapBuckets, latencyBuckets, tokenRateBuckets } from './buckets.ts'
import { begin, type Figure } from './figure.ts'
import {
  burstReason,
  fewestTokens,
  type Generation,
  noRateReason,
  noTokenRateReason,
  noTokenReason,
  shortestWindowMs,
} from './rates.ts'
import type { Reason } from './reasons.ts'
import type { StreamMeasurement } from './stream-measurement.ts'

/** The window begins with the first answer where the reasoning came as a summary. */
function withinWindow(this: Figure, _: StreamMeasurement, g: Generation): string {
  return this.formula.replace('firstToken', g.windowFrom)
}

/** Rounded once: 20 in 2000 ms are 10 and nothing beside it. */
const perSecond = (count: number, ms: number): number => (count * 1000) / ms

export const timePerOutputToken: Figure = {
  name: 'time_per_output_token_seconds',
  title: 'Time per output token',
  unit: 's',
  help: 'The generation window divided by the tokens that came after the first chunk with output.',
  formula: '(lastToken - firstToken) / (N - N1)',
  buckets: gapBuckets,
  expression: withinWindow,
  of(m, g) {
    const reason = noTokenRateReason(m, g)
    if (reason !== undefined) return reason
    const tokens = (g.tokens as number) - (g.firstChunkTokens as number)
    if (tokens < 1) return 'too_few_tokens'
    return g.windowMs > 0 ? g.windowMs / (1000 * tokens) : 'window_too_short'
  },
}

export const outputTokensPerSecond: Figure = {
  name: 'output_tokens_per_second',
  title: 'Output tokens per second',
  unit: 'tok/s',
  help: 'Tokens that came after the first chunk with output, divided by the generation window.',
  formula: '(N - N1) / (lastToken - firstToken)',
  buckets: tokenRateBuckets,
  expression: withinWindow,
  of(m, g) {
    const reason = noTokenRateReason(m, g)
    if (reason !== undefined) return reason
    const tokens = (g.tokens as number) - (g.firstChunkTokens as number)
    if (tokens < fewestTokens) return 'too_few_tokens'
    return g.windowMs >= shortestWindowMs ? perSecond(tokens, g.windowMs) : 'window_too_short'
  },
}

export const outputCharsPerSecond: Figure = {
  name: 'output_chars_per_second',
  title: 'Output characters per second',
  unit: 'char/s',
  help: 'Unicode code points that came after the first chunk with output, divided by the generation window. Comparable between tokenizers.',
  formula: '(C - C1) / (lastToken - firstToken)',
  buckets: charRateBuckets,
  expression: withinWindow,
  of(m, g) {
    const reason = noRateReason(m) ?? (m.output.choices > 1 ? 'many_choices' : undefined) ?? burstReason(m, g)
    if (reason !== undefined) return reason
    if (g.windowMs < shortestWindowMs) return 'window_too_short'
    const chars = g.counts.chars - g.counts.firstChunkChars
    return chars > 0 ? perSecond(chars, g.windowMs) : 'no_output'
  },
}

export const outputEventsPerSecond: Figure = {
  name: 'output_events_per_second',
  title: 'Output events per second',
  unit: '1/s',
  help: 'Output events that came after the first chunk with output, divided by the generation window. Events are not tokens.',
  formula: '(E - E1) / (lastToken - firstToken)',
  buckets: undefined,
  expression: withinWindow,
  of(m, g) {
    const reason = noRateReason(m) ?? burstReason(m, g)
    if (reason !== undefined) return reason
    if (g.windowMs < shortestWindowMs) return 'window_too_short'
    return perSecond(g.counts.events - g.counts.firstChunkEvents, g.windowMs)
  },
}

export const blendedTokensPerSecond: Figure = {
  name: 'blended_tokens_per_second',
  title: 'Blended tokens per second',
  unit: 'tok/s',
  help: 'All tokens divided by the whole time. It mixes queueing, prefill and generation: kept for comparison with other tools alone.',
  formula: 'N / (lastToken - dispatched); not streamed: N / (ended - dispatched)',
  buckets: undefined,
  expression: (m) => `N / (${m.streamed ? 'lastToken' : 'ended'} - ${begin(m)})`,
  of(m, g) {
    if (m.outcome !== 'ok') {
      if (m.streamed && m.marks.firstToken !== undefined) return 'incomplete'
      return m.outcome === 'client_abort' ? 'client_left' : 'error'
    }
    if (m.decoding === 'not_decoded') return 'not_decoded'
    const until = m.streamed ? m.marks.lastToken : m.marks.ended
    if (until === undefined) return 'no_output'
    if (g.tokens === undefined) return 'no_usage'
    if (g.tokens < g.counts.events) return 'usage_mismatch'
    if (m.streamed && m.reasoningSummarised) return 'summarised_reasoning'
    if (g.tokens === 0) return 'too_few_tokens'
    const spentMs = until - (m.marks.dispatched ?? m.marks.received)
    return spentMs > 0 ? perSecond(g.tokens, spentMs) : 'window_too_short'
  },
}

/** A distribution of its own: `of` tells why it is empty, its samples are the measurement's `gaps`. */
export const interChunkTime: Figure = {
  name: 'inter_chunk_seconds',
  title: 'Inter-chunk time',
  unit: 's',
  help: 'Gaps between successive chunks that complete an output event; one sample a gap.',
  formula: 'mark(chunk i) - mark(chunk i-1)',
  buckets: gapBuckets,
  of: (m, g) => (m.gaps.count > 0 ? undefined : noGapReason(m, g)),
}

export const longestStall: Figure = {
  name: 'longest_stall_seconds',
  title: 'Longest stall',
  unit: 's',
  help: 'The largest inter-chunk time of a stream.',
  formula: 'max(inter-chunk times)',
  buckets: latencyBuckets,
  of: (m, g) => (m.gaps.count > 0 ? m.gaps.longest : noGapReason(m, g)),
}

function noGapReason(m: StreamMeasurement, g: Generation): Reason {
  const reason = noTokenReason(m)
  if (reason !== undefined) return reason
  if (m.decoding === 'not_decoded') return 'not_decoded'
  if (m.outcome !== 'ok') return 'incomplete'
  // Two chunks and yet no gap: it held a pause.
  if (m.output.all.chunks > 1) return 'backpressure'
  return g.buffered ? 'buffered' : 'one_chunk'
}

export const burstiness: Figure = {
  name: 'burstiness',
  title: 'Burstiness',
  unit: 'ratio',
  help: 'Share of output events that share a chunk with an earlier output event.',
  formula: '(E - chunks with output) / E',
  buckets: undefined,
  expression: () => '(events - chunks) / events',
  of(m) {
    const reason = noTokenReason(m)
    if (reason !== undefined) return reason
    const { events, chunks } = m.output.all
    return events >= 16 ? (events - chunks) / events : undefined
  },
}
