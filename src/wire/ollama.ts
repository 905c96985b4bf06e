import type { AnswerFacts, EventReading, WholeBody } from './event-reading.ts'
import { type Loose, labelOf, listOf, objectOf } from './loose-json.ts'
import { addContent, addReasoning, type OutputCounts, readFunction } from './output-text.ts'
import { readUsage } from './reported-usage.ts'
import type { WireFormat } from './wire-format.ts'

type OllamaObject = Loose<'model' | 'message' | 'response' | 'thinking' | 'done' | 'done_reason'>
type Message = Loose<'content' | 'thinking' | 'tool_calls'>

/** Ollama's own API, `/api/chat` and `/api/generate`: lines of JSON, the last of them with `done: true` and the counts. */
export const ollama: WireFormat = {
  operations: ['ollama_chat', 'ollama_generate'],
  inputAccounting: 'includes_cache',
  protocolEnds: ['done: true'],
  streamsLines: true,

  readEvent(object: OllamaObject, reading: EventReading, facts: AnswerFacts): void {
    readOutput(object, reading)
    readFacts(object, facts, reading)
  },

  readBody(object: OllamaObject, body: WholeBody, facts: AnswerFacts): void {
    readOutput(object, body)
    readFacts(object, facts, undefined)
  },
}

function readOutput(object: OllamaObject, counts: OutputCounts): void {
  addContent(object.response, counts)
  addReasoning(object.thinking, counts)
  const message = objectOf(object.message) as Message | undefined
  if (message === undefined) return
  addReasoning(message.thinking, counts)
  addContent(message.content, counts)
  if (message.tool_calls) {
    for (const call of listOf(message.tool_calls)) readFunction(objectOf<'function'>(call)?.function, counts)
  }
}

function readFacts(object: OllamaObject, facts: AnswerFacts, reading: EventReading | undefined): void {
  facts.servedModel = labelOf(object.model, 128) ?? facts.servedModel
  if (object.done !== true) return
  facts.finishReason = labelOf(object.done_reason) ?? facts.finishReason
  facts.endSeen = true
  facts.protocolEndSeen = true
  readUsage(object, facts, reading)
}
