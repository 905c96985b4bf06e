/** What is asked. */
export interface PromptText {
  /** What stays the same from question to question and may be cached; `''`: nothing. */
  readonly context: string
  readonly task: string
}

/** A prompt of the plan: one text, or a set of which each round takes the next. */
export interface Prompt {
  readonly name: string
  readonly texts: readonly PromptText[]
}

/** `uncached`: a nonce at the start makes every prompt new; `cached`: it repeats exactly, within one run of the bench. */
export type PromptMode = 'uncached' | 'cached'

/** The prompt of a round. A nonce stands at the very start: caches of prompts go by prefix. */
export function promptFor(prompt: Prompt, round: number, nonce: string): PromptText {
  const { context, task } = prompt.texts[round % prompt.texts.length] as PromptText
  const head = `// ${nonce}\n`
  return context === '' ? { context, task: head + task } : { context: head + context, task }
}

/** Rounds of which the prompt has not been seen before, where it is to be repeated. */
export const coldRounds = (prompt: Prompt, mode: PromptMode): number => (mode === 'cached' ? prompt.texts.length : 1)
