import { benchFigure } from './bench-figures.ts'
import { type Load, loadText } from './exchange-result.ts'

/** A part of a report, before it has a form. The first `texts` columns are text, the rest numbers. */
export interface Section {
  readonly title: string
  readonly table?: {
    readonly head: readonly string[]
    readonly rows: readonly (readonly string[])[]
    readonly texts: number
  }
  readonly notes: readonly string[]
}

/** Columns of results: medians with intervals. */
export const columns = [
  'time_to_first_token_seconds',
  'time_to_first_answer_seconds',
  'time_per_output_token_seconds',
  'output_tokens_per_second',
  'output_chars_per_second',
  'request_duration_seconds',
].map(benchFigure)
/** Shown apart, of single streams: they explain the others. */
export const otherFigures = [
  'time_to_headers_seconds',
  'time_to_first_byte_seconds',
  'connection_wait_seconds',
  'inter_chunk_seconds',
  'longest_stall_seconds',
  'output_events_per_second',
  'burstiness',
  'blended_tokens_per_second',
].map(benchFigure)
/** Columns that only show a median. */
export const plain = ['tokens_per_event', 'output_tokens', 'cached_input_tokens', 'cost_usd'].map(benchFigure)

/** Prompt, mode and load, in words. */
export const titleOf = ({ prompt, mode, load }: { prompt: string; mode: string; load: Load }): string =>
  `${prompt}, ${mode}, ${loadText(load)}`
