import type { AnswerFacts, EventReading, WholeBody } from './event-reading.ts'
import { type Loose, labelOf, listOf, objectOf } from './loose-json.ts'
import { addArguments, addContent, addReasoning, addTool, type OutputCounts } from './output-text.ts'
import { readUsage } from './reported-usage.ts'
import type { WireFormat } from './wire-format.ts'

type MessagesEvent = Loose<'type' | 'message' | 'content_block' | 'delta' | 'usage'>
type Message = Loose<'model' | 'usage' | 'stop_reason' | 'content'>
type Block = Loose<'type' | 'text' | 'thinking' | 'name' | 'input'>
type Delta = Loose<'text' | 'thinking' | 'partial_json' | 'stop_reason'>

/** Anthropic's Messages API. Its thinking is a summary that usage does not count. */
export const messages: WireFormat = {
  operations: ['messages'],
  inputAccounting: 'beside_cache',
  protocolEnds: ['message_stop'],
  streamsLines: false,

  readEvent(event: MessagesEvent, reading: EventReading, facts: AnswerFacts): void {
    switch (event.type) {
      case 'content_block_delta':
        readDelta(event.delta, reading)
        if (reading.reasoning) facts.reasoningSummarised = true
        return
      case 'content_block_start':
        readStart(event.content_block, reading)
        return
      case 'message_start':
        readMessage(event.message, facts, reading)
        return
      case 'message_delta':
        readStop((objectOf(event.delta) as Delta | undefined)?.stop_reason, facts)
        if (event.usage) readUsage(event.usage, facts, reading)
        return
      case 'message_stop':
        facts.endSeen = true
        facts.protocolEndSeen = true
    }
  },

  readBody(message: Message, body: WholeBody, facts: AnswerFacts): void {
    for (const block of listOf(message.content)) readBlock(block, body)
    readMessage(message, facts, undefined)
    if (facts.finishReason !== undefined) facts.endSeen = true
  },
}

function readMessage(value: unknown, facts: AnswerFacts, reading: EventReading | undefined): void {
  const message = objectOf(value) as Message | undefined
  if (message === undefined) return
  facts.servedModel = labelOf(message.model, 128) ?? facts.servedModel
  readStop(message.stop_reason, facts)
  if (message.usage) readUsage(message.usage, facts, reading)
}

function readStop(reason: unknown, facts: AnswerFacts): void {
  facts.finishReason = labelOf(reason) ?? facts.finishReason
}

/** A signature, citations, an empty text or thinking are no output. */
function readDelta(value: unknown, counts: OutputCounts): void {
  const delta = objectOf(value) as Delta | undefined
  if (delta === undefined) return
  addContent(delta.text, counts)
  addReasoning(delta.thinking, counts)
  addTool(delta.partial_json, counts)
}

/** The start of a tool use holds its name; what other blocks start with comes again in deltas. */
function readStart(value: unknown, counts: OutputCounts): void {
  const block = objectOf(value) as Block | undefined
  if (isToolUse(block)) addTool(block?.name, counts)
}

function readBlock(value: unknown, counts: OutputCounts): void {
  const block = objectOf(value) as Block | undefined
  if (block === undefined) return
  if (isToolUse(block)) {
    addTool(block.name, counts)
    addArguments(block.input, counts)
  } else if (block.type === 'text') addContent(block.text, counts)
  else if (block.type === 'thinking') addReasoning(block.thinking, counts)
}

/** `tool_use`, `server_tool_use`, `mcp_tool_use`. */
function isToolUse(block: Block | undefined): boolean {
  return typeof block?.type === 'string' && block.type.endsWith('tool_use')
}
