import { type Choice, type ChoicesMessage, readChoices } from './choices.ts'
import type { AnswerFacts, EventReading, WholeBody } from './event-reading.ts'
import { addContent, type OutputCounts, readMessage } from './output-text.ts'
import type { WireFormat } from './wire-format.ts'

/** Legacy completions. */
export const completions: WireFormat = {
  operations: ['completions'],
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

/** A gateway that answers completions with chat's objects is read too, but never both. */
function readOutput(choice: Choice, message: unknown, counts: OutputCounts): void {
  if (!addContent(choice.text, counts)) readMessage(message, counts)
}
