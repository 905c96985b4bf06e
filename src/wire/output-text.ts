import type { EventReading, WholeBody } from './event-reading.ts'
import { codePointsOf, type Loose, listOf, objectOf, textOf } from './loose-json.ts'

/** Where output is counted: an event's reading, or the counts of a whole body. */
export type OutputCounts = WholeBody & Partial<Pick<EventReading, 'answer' | 'reasoning'>>

export function addContent(text: unknown, counts: OutputCounts): boolean {
  if (typeof text !== 'string' || text === '') return false
  counts.answer = true
  counts.contentChars += codePointsOf(text)
  return true
}

export function addReasoning(text: unknown, counts: OutputCounts): boolean {
  if (typeof text !== 'string' || text === '') return false
  counts.reasoning = true
  counts.reasoningChars += codePointsOf(text)
  return true
}

export function addTool(text: unknown, counts: OutputCounts): boolean {
  if (typeof text !== 'string' || text === '') return false
  counts.answer = true
  counts.toolChars += codePointsOf(text)
  return true
}

/** Arguments or an input of a tool call: a string, or an object (counted as compact JSON, an empty one not at all). */
export function addArguments(value: unknown, counts: OutputCounts): void {
  if (typeof value === 'string') addTool(value, counts)
  else if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
    addTool(JSON.stringify(value), counts)
  }
}

type Message = Loose<
  | 'content'
  | 'refusal'
  | 'reasoning_content'
  | 'reasoning'
  | 'reasoning_details'
  | 'thinking_blocks'
  | 'tool_calls'
  | 'function_call'
  | 'audio'
>
type Part = Loose<'type' | 'text' | 'refusal' | 'thinking' | 'summary'>
type Call = Loose<'function' | 'custom' | 'name' | 'arguments' | 'input'>

/** Counts a chat `delta` or `message`: all of its output, the reasoning once however many names it bears. */
export function readMessage(value: unknown, counts: OutputCounts): void {
  const message = objectOf(value) as Message | undefined
  if (message === undefined) return
  const reasoned =
    addReasoning(message.reasoning_content, counts) ||
    addReasoning(message.reasoning, counts) ||
    addReasoningParts(message.reasoning_details, counts) ||
    addReasoningParts(message.thinking_blocks, counts)
  if (typeof message.content === 'string') addContent(message.content, counts)
  else if (message.content) readParts(message.content, counts, reasoned)
  if (message.refusal) addContent(message.refusal, counts)
  if (message.tool_calls) for (const call of listOf(message.tool_calls)) readCall(call, counts)
  if (message.function_call) readFunction(message.function_call, counts)
  if (message.audio) readAudio(message.audio, counts)
}

/** `reasoning_details[]` (OpenRouter: text or summary; encrypted entries have neither), `thinking_blocks[]` (LiteLLM). */
function addReasoningParts(value: unknown, counts: OutputCounts): boolean {
  let found = false
  for (const entry of listOf(value)) {
    const part = objectOf(entry) as Part | undefined
    if (part === undefined) continue
    const added =
      addReasoning(part.text, counts) || addReasoning(part.summary, counts) || addReasoning(part.thinking, counts)
    found ||= added
  }
  return found
}

/** Typed parts of `content`: text, refusal, Mistral's `thinking` (a string or parts again). */
function readParts(value: unknown, counts: OutputCounts, reasoned: boolean): void {
  for (const entry of listOf(value)) {
    if (addContent(entry, counts)) continue
    const part = objectOf(entry) as Part | undefined
    if (part === undefined) continue
    if (part.type === 'thinking' || part.type === 'reasoning') {
      if (reasoned) continue
      if (!addReasoning(part.thinking, counts) && !addReasoningParts(part.thinking, counts))
        addReasoning(part.text, counts)
    } else if (!addContent(part.text, counts)) addContent(part.refusal, counts)
  }
}

function readCall(value: unknown, counts: OutputCounts): void {
  const call = objectOf(value) as Call | undefined
  if (call === undefined) return
  readFunction(call.function, counts)
  if (call.custom) readFunction(call.custom, counts)
}

/** A name and arguments (`input` of a custom tool). */
export function readFunction(value: unknown, counts: OutputCounts): void {
  const called = objectOf(value) as Call | undefined
  if (called === undefined) return
  addTool(called.name, counts)
  addArguments(called.arguments, counts)
  if (called.input) addArguments(called.input, counts)
}

/** The transcript is text; base64 sound is output without characters. */
function readAudio(value: unknown, counts: OutputCounts): void {
  const audio = objectOf<'data' | 'transcript'>(value)
  if (audio === undefined) return
  addContent(audio.transcript, counts)
  if (textOf(audio.data) !== undefined) counts.answer = true
}
