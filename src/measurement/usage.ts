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

/**
 * Makes one meaning of what gateways report. The gap is what `total` has beyond prompt and completion:
 *
 * - equal to the cached and written tokens: a translator left those out of the prompt, so the gap is input;
 * - anything else above 0: reasoning that `completion_tokens` leaves out (xAI, Gemini);
 * - none: reasoning above completion was left out of both (DeepInfra), else completion holds it.
 *
 * More cached and written tokens than prompt tokens also mean that the prompt is without them.
 */
export function normaliseUsage(reported: ReportedUsage, accounting: InputAccounting): TokenCounts {
  const { input, output, reasoning, cachedInput, cacheWriteInput, total } = reported
  const cache = (cachedInput ?? 0) + (cacheWriteInput ?? 0)
  const cacheBeside = accounting === 'beside_cache' || (input !== undefined && cache > input)
  const gap = input === undefined || output === undefined || total === undefined ? 0 : total - input - output
  const gapIsInput = gap > 0 && cache > 0 && (gap === cache || (cacheBeside && gap !== reasoning))
  const gapIsReasoning = gap > 0 && !gapIsInput
  const hidden = gapIsReasoning ? gap : gapIsInput && gap - cache === reasoning ? reasoning : reasoningOutside(reported)
  return {
    input: input === undefined ? undefined : cacheBeside || gapIsInput ? input + cache : input,
    cachedInput,
    cacheWriteInput,
    output: output === undefined ? undefined : output + hidden,
    reasoning: gapIsReasoning ? gap : reasoning,
  }
}

/** Reasoning that cannot be inside `output`, because there is more of it. */
function reasoningOutside({ output, reasoning }: ReportedUsage): number {
  return output !== undefined && reasoning !== undefined && reasoning > output ? reasoning : 0
}
