/** Why a figure is missing. The first that applies, in this order. definitions.md, "Edge cases". */
export type Reason =
  | 'not_streamed'
  | 'error'
  | 'client_left'
  | 'no_output'
  | 'not_decoded'
  | 'incomplete'
  | 'backpressure'
  | 'many_choices'
  | 'buffered'
  | 'one_chunk'
  | 'no_usage'
  | 'usage_mismatch'
  | 'summarised_reasoning'
  | 'too_few_tokens'
  | 'window_too_short'

export const reasons: readonly Reason[] = [
  'not_streamed',
  'error',
  'client_left',
  'no_output',
  'not_decoded',
  'incomplete',
  'backpressure',
  'many_choices',
  'buffered',
  'one_chunk',
  'no_usage',
  'usage_mismatch',
  'summarised_reasoning',
  'too_few_tokens',
  'window_too_short',
]
