import { noteError } from './error-label.ts'
import type { AnswerFacts, EventReading, WholeBody } from './event-reading.ts'
import { type Loose, labelOf, listOf, objectOf } from './loose-json.ts'
import { addArguments, addContent, addReasoning, addTool } from './output-text.ts'
import { readUsage } from './reported-usage.ts'
import type { WireFormat } from './wire-format.ts'

type ResponsesEvent = Loose<'type' | 'delta' | 'response'>
type ResponseObject = Loose<'model' | 'status' | 'usage' | 'error' | 'incomplete_details' | 'output'>
type Item = Loose<'type' | 'content' | 'summary' | 'name' | 'arguments' | 'input' | 'code'>
type Part = Loose<'text' | 'refusal' | 'transcript'>

/** Events that close a stream; there is no `[DONE]`. */
const responsesEnds: readonly string[] = ['response.completed', 'response.incomplete', 'response.failed']

/** OpenAI's Responses API. Of a stream only `*.delta` events are output: `*.done` and the end repeat the text. */
export const responses: WireFormat = {
  operations: ['responses'],
  inputAccounting: 'includes_cache',
  protocolEnds: responsesEnds,
  streamsLines: false,

  readEvent(message: ResponsesEvent, reading: EventReading, facts: AnswerFacts): void {
    const { type } = message
    if (typeof type !== 'string') return
    if (type.endsWith('.delta')) {
      readDelta(type, message.delta, reading)
      return
    }
    const response = objectOf(message.response) as ResponseObject | undefined
    if (response === undefined) return
    const ended = responsesEnds.includes(type)
    readResponse(response, ended ? type.slice('response.'.length) : undefined, facts, reading)
    if (ended) facts.protocolEndSeen = true
  },

  readBody(message: ResponseObject, body: WholeBody, facts: AnswerFacts): void {
    for (const item of listOf(message.output)) readItem(item, body)
    const { status } = message
    readResponse(message, status === 'in_progress' || status === 'queued' ? undefined : status, facts, undefined)
  },
}

/** Reads the response object, as it stands in some events and is a whole answer; `status` where it is final. */
function readResponse(
  response: ResponseObject,
  status: unknown,
  facts: AnswerFacts,
  reading: EventReading | undefined,
): void {
  facts.servedModel = labelOf(response.model, 128) ?? facts.servedModel
  if (response.usage) readUsage(response.usage, facts, reading)
  if (response.error) noteError(response.error, facts)
  const ended = labelOf(status)
  if (ended === undefined) return
  facts.endSeen = true
  const reason = objectOf<'reason'>(response.incomplete_details)?.reason
  facts.finishReason = (ended === 'incomplete' ? labelOf(reason) : undefined) ?? ended
  if (ended === 'failed') facts.error ??= ended
}

/** Base64 sound is output without characters; arguments, inputs and code are what a tool is called with. */
function readDelta(type: string, delta: unknown, reading: EventReading): void {
  const text = typeof delta === 'string' ? delta : objectOf<'text'>(delta)?.text
  if (typeof text !== 'string' || text === '') return
  if (type === 'response.audio.delta' || type === 'response.output_audio.delta') reading.answer = true
  else if (type.startsWith('response.reasoning')) addReasoning(text, reading)
  else if (/(_|\.)(arguments|input|code)\.delta$/.test(type)) addTool(text, reading)
  else addContent(text, reading)
}

/** An item of a whole answer. Reasoning has its text in `content` or, summarised, in `summary`. */
function readItem(value: unknown, body: WholeBody): void {
  const item = objectOf(value) as Item | undefined
  if (item === undefined) return
  if (item.type === 'reasoning') {
    if (!readParts(item.content, body, addReasoning)) readParts(item.summary, body, addReasoning)
    return
  }
  if (item.type === 'message') {
    readParts(item.content, body, addContent)
    return
  }
  addTool(item.name, body)
  addArguments(item.arguments, body)
  if (item.input) addArguments(item.input, body)
  addTool(item.code, body)
}

function readParts(value: unknown, body: WholeBody, add: (text: unknown, body: WholeBody) => boolean): boolean {
  let found = false
  for (const entry of listOf(value)) {
    const part = objectOf(entry) as Part | undefined
    if (part === undefined) continue
    const added = add(part.text, body) || add(part.refusal, body) || add(part.transcript, body)
    found ||= added
  }
  return found
}
