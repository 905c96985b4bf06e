import { type Choice, type ChoicesMessage, readChoices } from './choices.ts'
import type { AnswerFacts, EventReading, WholeBody } from './event-reading.ts'
import { addContent, type OutputCounts, readMessage } from './output-text.ts'
import type { WireFormat } from './wire-format.ts'

/** Chat completions, of OpenAI and of everybody who speaks it. */
export const chatCompletions: WireFormat = {
  operations: ['chat'],
  inputAccounting: 'includes_cache',
  protocolEnds: ['[DONE]'],
  streamsLines: false,

  readEvent(message: ChoicesMessage, reading: EventReading, facts: AnswerFacts): void {
    readChoices(message, facts, reading, reading, readDelta)
  },

  readBody(message: ChoicesMessage, body: WholeBody, facts: AnswerFacts): void {
    readChoices(message, facts, body, undefined, readWhole)
  },
}

function readDelta(choice: Choice, counts: OutputCounts): void {
  readOutput(choice, choice.delta, counts)
}

function readWhole(choice: Choice, counts: OutputCounts): void {
  readOutput(choice, choice.message, counts)
}

/**
 * Together sends the same text as `text` and in `delta`: the delta wins. A `message` beside a delta (Perplexity) is the text
 * so far and is not read from a stream.
 */
function readOutput(choice: Choice, message: unknown, counts: OutputCounts): void {
  readMessage(message, counts)
  if (typeof message !== 'object' || message === null) addContent(choice.text, counts)
}
