/** Usage as a gateway reported it, field by field, before normalising. `undefined`: not reported. */
export interface ReportedUsage {
  /** `prompt_tokens`, `input_tokens`, `prompt_eval_count`. */
  input: number | undefined
  /** `completion_tokens`, `output_tokens`, `eval_count`. */
  output: number | undefined
  reasoning: number | undefined
  cachedInput: number | undefined
  cacheWriteInput: number | undefined
  total: number | undefined
}

/** Whether `input` counts cached tokens (OpenAI and everybody else) or stands beside them (Anthropic's own format). */
export type InputAccounting = 'includes_cache' | 'beside_cache'

/** Normalised tokens: `input` is all prompt tokens, `output` is N, all generated tokens. wire.md, section 8. */
export interface TokenCounts {
  readonly input: number | undefined
  readonly cachedInput: number | undefined
  readonly cacheWriteInput: number | undefined
  readonly output: number | undefined
  readonly reasoning: number | undefined
}
