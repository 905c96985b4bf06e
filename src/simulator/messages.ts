import {
  type Answer,
  type AnswerFormat,
  failureMessage,
  pieceChars,
  sse,
  sseComment,
  sseType,
  wholeChoices,
} from './answer-format.ts'
import type { JsonObject } from './json.ts'
import { reportsUsage } from './openai-usage.ts'
import type { Piece } from './plan.ts'

const signature = 'c2ltdWxhdGVk'

/** `POST /v1/messages`, Anthropic's API: numbered blocks, and input tokens that stand beside the cached ones. */
export function messagesFormat(answer: Answer): AnswerFormat {
  const { plan } = answer
  const { script, usage } = plan
  const stopReasons = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' }
  const stopReason = script.finishReason ?? stopReasons[plan.finishReason]
  const inputUsage = {
    input_tokens: Math.max(0, usage.input - usage.cached - usage.cacheWrite),
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cached,
  }
  const known = reportsUsage(script, true)
  const message = (content: unknown[], stop: string | null, outputTokens: number): JsonObject => ({
    id: `msg_${answer.id}`,
    type: 'message',
    role: 'assistant',
    model: answer.servedModel,
    content,
    stop_reason: stop,
    stop_sequence: null,
    ...(known ? { usage: { ...inputUsage, output_tokens: outputTokens } } : {}),
  })
  const event = (data: JsonObject): string => sse(data, data['type'] as string)

  let index = -1
  let open: Piece | undefined
  const stop = (): string[] => {
    if (open === undefined) return []
    const events = [event({ type: 'content_block_stop', index })]
    if (open.phase === 'reasoning') {
      events.unshift(event({ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature } }))
    }
    open = undefined
    return events
  }
  const start = (piece: Piece, block: JsonObject): string => {
    open = piece
    return event({ type: 'content_block_start', index: ++index, content_block: block })
  }
  const delta = (fields: JsonObject): string => event({ type: 'content_block_delta', index, delta: fields })

  return {
    contentType: sseType,
    comment: sseComment,
    opening: () => [event({ type: 'message_start', message: message([], null, 1) }), event({ type: 'ping' })],
    piece(piece) {
      const { phase, text, tool } = piece
      const chars = pieceChars(piece)
      if (tool?.opens) {
        const before = stop()
        return { before, event: start(piece, { type: 'tool_use', id: tool.id, name: tool.name, input: {} }), chars }
      }
      if (phase === 'tool') return { before: [], event: delta({ type: 'input_json_delta', partial_json: text }), chars }
      const thinks = phase === 'reasoning'
      const block = thinks ? { type: 'thinking', thinking: '', signature: '' } : { type: 'text', text: '' }
      const before = open?.phase === phase ? [] : [...stop(), start(piece, block)]
      return {
        before,
        event: delta(thinks ? { type: 'thinking_delta', thinking: text } : { type: 'text_delta', text }),
        chars,
      }
    },
    closing: () => [
      ...stop(),
      event({
        type: 'message_delta',
        delta: { stop_reason: stopReason, stop_sequence: null },
        ...(known ? { usage: { ...inputUsage, output_tokens: usage.output } } : {}),
      }),
      event({ type: 'message_stop' }),
    ],
    failure: () => [event({ type: 'error', error: { type: 'overloaded_error', message: failureMessage } })],
    whole: () => {
      const { reasoning, answer: text, calls } = wholeChoices(answer)[0] as ReturnType<typeof wholeChoices>[number]
      const content = [
        ...(reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, signature }]),
        ...(text === '' ? [] : [{ type: 'text', text }]),
        ...calls.map(({ id, name, arguments: input }) => ({
          type: 'tool_use',
          id,
          name,
          input: JSON.parse(input || '{}'),
        })),
      ]
      return message(content, stopReason, usage.output)
    },
  }
}
