import type { JsonObject } from './json.ts'
import type { Piece } from './plan.ts'

/** An event's type, and its fields besides the numbering. */
type ItemEvent = readonly [type: string, fields: JsonObject]

/** One item of a Responses answer while it grows. */
export interface ResponseItem {
  holds(piece: Piece): boolean
  begun(): JsonObject
  opening(): ItemEvent[]
  delta(text: string): ItemEvent
  closing(): ItemEvent[]
  done(): JsonObject
}

function messageItem(id: string): ResponseItem {
  let text = ''
  const place = { item_id: id, content_index: 0 }
  const part = (): JsonObject => ({ type: 'output_text', text, annotations: [], logprobs: [] })
  const item = (status: string, content: JsonObject[]): JsonObject => ({
    id,
    type: 'message',
    status,
    role: 'assistant',
    content,
  })
  return {
    holds: ({ phase }) => phase === 'answer',
    begun: () => item('in_progress', []),
    opening: () => [['response.content_part.added', { ...place, part: part() }]],
    delta(added) {
      text += added
      return ['response.output_text.delta', { ...place, delta: added, logprobs: [] }]
    },
    closing: () => [
      ['response.output_text.done', { ...place, text, logprobs: [] }],
      ['response.content_part.done', { ...place, part: part() }],
    ],
    done: () => item('completed', [part()]),
  }
}

function callItem(id: string, tool: NonNullable<Piece['tool']>): ResponseItem {
  let text = ''
  const item = (status: string): JsonObject => ({
    id,
    type: 'function_call',
    status,
    call_id: tool.id,
    name: tool.name,
    arguments: text,
  })
  return {
    holds: (piece) => piece.tool?.id === tool.id,
    begun: () => item('in_progress'),
    opening: () => [],
    delta(added) {
      text += added
      return ['response.function_call_arguments.delta', { item_id: id, delta: added }]
    },
    closing: () => [['response.function_call_arguments.done', { item_id: id, name: tool.name, arguments: text }]],
    done: () => item('completed'),
  }
}

function reasoningItem(id: string): ResponseItem {
  let text = ''
  const place = { item_id: id, content_index: 0 }
  const part = (): JsonObject => ({ type: 'reasoning_text', text })
  const item = (status: string, content: JsonObject[]): JsonObject => ({
    id,
    type: 'reasoning',
    status,
    summary: [],
    content,
  })
  return {
    holds: ({ phase }) => phase === 'reasoning',
    begun: () => item('in_progress', []),
    opening: () => [['response.content_part.added', { ...place, part: part() }]],
    delta(added) {
      text += added
      return ['response.reasoning_text.delta', { ...place, delta: added }]
    },
    closing: () => [
      ['response.reasoning_text.done', { ...place, text }],
      ['response.content_part.done', { ...place, part: part() }],
    ],
    done: () => item('completed', [part()]),
  }
}

function summaryItem(id: string): ResponseItem {
  let text = ''
  const place = { item_id: id, summary_index: 0 }
  const part = (): JsonObject => ({ type: 'summary_text', text })
  return {
    holds: ({ phase }) => phase === 'reasoning',
    begun: () => ({ id, type: 'reasoning', summary: [] }),
    opening: () => [['response.reasoning_summary_part.added', { ...place, part: part() }]],
    delta(added) {
      text += added
      return ['response.reasoning_summary_text.delta', { ...place, delta: added }]
    },
    closing: () => [
      ['response.reasoning_summary_text.done', { ...place, text }],
      ['response.reasoning_summary_part.done', { ...place, part: part() }],
    ],
    done: () => ({ id, type: 'reasoning', summary: [part()] }),
  }
}

/** The item that a piece begins. `index`: its place among the answer's items. */
export function responseItem(id: string, index: number, piece: Piece, summarised: boolean): ResponseItem {
  if (piece.tool !== undefined) return callItem(`fc_${id}_${index}`, piece.tool)
  if (piece.phase === 'answer') return messageItem(`msg_${id}_${index}`)
  return summarised ? summaryItem(`rs_${id}_${index}`) : reasoningItem(`rs_${id}_${index}`)
}
