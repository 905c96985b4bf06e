// What chat completions and completions share: everything but where the text stands.
import { noteError } from './error-label.ts'
import type { AnswerFacts, EventReading } from './event-reading.ts'
import { type Loose, labelOf, listOf, objectOf } from './loose-json.ts'
import type { OutputCounts } from './output-text.ts'
import { readUsage } from './reported-usage.ts'

export type ChoicesMessage = Loose<'choices' | 'model' | 'provider' | 'usage' | 'x_groq' | 'timings'>
export type Choice = Loose<'index' | 'finish_reason' | 'usage' | 'error' | 'delta' | 'message' | 'text'>

/** More choices than any API grants are a fault of the gateway's, not a number to believe. */
const mostChoices = 65536

/**
 * Reads all of an object that has `choices`; `readOutput` counts the output of each of them.
 * @param reading where usage so far is noted; a whole body has none
 */
export function readChoices<Counts extends OutputCounts>(
  message: ChoicesMessage,
  facts: AnswerFacts,
  counts: Counts,
  reading: EventReading | undefined,
  readOutput: (choice: Choice, counts: Counts) => void,
): void {
  const { model, provider, usage } = message
  if (typeof model === 'string' && model !== '' && model !== facts.servedModel) facts.servedModel = labelOf(model, 128)
  if (typeof provider === 'string' && provider !== '' && provider !== facts.provider) facts.provider = labelOf(provider)
  const choices = listOf(message.choices)
  for (let at = 0; at < choices.length; at++) {
    const choice = objectOf(choices[at]) as Choice | undefined
    if (choice === undefined) continue
    const index = Number.isInteger(choice.index) ? (choice.index as number) : at
    if (index >= facts.choices && index < mostChoices) facts.choices = index + 1
    readOutput(choice, counts)
    if (choice.finish_reason) readFinish(choice.finish_reason, facts)
    if (choice.error) noteError(choice.error, facts)
    if (choice.usage) readUsage(choice.usage, facts, reading)
  }
  if (message.x_groq) readUsage(objectOf<'usage'>(message.x_groq)?.usage, facts, reading)
  if (usage) readUsage(usage, facts, reading, message.timings)
}

function readFinish(reason: unknown, facts: AnswerFacts): void {
  const label = labelOf(reason)
  if (label === undefined) return
  facts.finishReason = label
  facts.endSeen = true
}
