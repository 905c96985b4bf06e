import {
  type Answer,
  type AnswerFormat,
  type EncodedPiece,
  failureMessage,
  pieceChars,
  sse,
  sseComment,
  sseType,
  wholeChoices,
} from './answer-format.ts'
import type { JsonObject } from './json.ts'
import { openaiUsage, reportsUsage } from './openai-usage.ts'
import type { Piece } from './plan.ts'

function deltaOf({ phase, text, tool }: Piece): JsonObject {
  if (phase === 'reasoning') return { reasoning_content: text }
  if (phase === 'answer') return { content: text }
  const call = tool as NonNullable<Piece['tool']>
  if (!call.opens) return { tool_calls: [{ index: call.index, function: { arguments: text } }] }
  const begun = { index: call.index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }
  return { tool_calls: [begun] }
}

/** `POST /v1/chat/completions`. */
export function chatFormat(answer: Answer): AnswerFormat {
  const { request, plan } = answer
  const { script, usage } = plan
  const finish = script.finishReason ?? plan.finishReason
  const withUsage = reportsUsage(script, request.includeUsage)
  const { provider } = script
  const frame = {
    id: `chatcmpl-${answer.id}`,
    object: 'chat.completion.chunk',
    created: answer.created,
    model: answer.servedModel,
    ...(provider === undefined ? {} : { provider }),
    system_fingerprint: 'fp_simulator',
  }
  let output = plan.usage.output - plan.groups.reduce((sum, { pieces }) => sum + tokensOf(pieces), 0)
  let reasoning = script.reasoning === 'streamed' ? 0 : usage.reasoning
  const chunk = (choices: JsonObject[], reported: unknown = null): string =>
    sse({ ...frame, choices, ...(withUsage ? { usage: reported } : {}) })
  const soFar = (): unknown => (request.continuousUsage ? openaiUsage(usage, output, reasoning) : null)
  const choice = (index: number, delta: JsonObject, reason: string | null = null): JsonObject => ({
    index,
    delta,
    logprobs: null,
    finish_reason: reason,
  })
  const indexes = Array.from({ length: request.choices }, (_, index) => index)
  return {
    contentType: sseType,
    comment: sseComment,
    opening: () => indexes.map((index) => chunk([choice(index, { role: 'assistant', content: '', refusal: null })])),
    piece(piece): EncodedPiece {
      output += piece.tokens
      if (piece.phase === 'reasoning') reasoning += piece.tokens
      return { before: [], event: chunk([choice(piece.choice, deltaOf(piece))], soFar()), chars: pieceChars(piece) }
    },
    closing: () => [
      ...indexes.map((index) => chunk([choice(index, {}, finish)], soFar())),
      ...(withUsage ? [chunk([], openaiUsage(usage))] : []),
      sse('[DONE]'),
    ],
    failure: () => [
      sse({ error: { message: failureMessage, type: 'server_error', param: null, code: 'simulated_failure' } }),
    ],
    whole: () => ({
      ...frame,
      object: 'chat.completion',
      choices: wholeChoices(answer).map((whole, index) => ({
        index,
        message: {
          role: 'assistant',
          content: whole.calls.length > 0 ? null : whole.answer,
          refusal: null,
          ...(whole.reasoning === '' ? {} : { reasoning_content: whole.reasoning }),
          ...(whole.calls.length === 0
            ? {}
            : {
                tool_calls: whole.calls.map(({ id, name, arguments: text }) => ({
                  id,
                  type: 'function',
                  function: { name, arguments: text },
                })),
              }),
        },
        logprobs: null,
        finish_reason: finish,
      })),
      ...(reportsUsage(script, true) ? { usage: openaiUsage(usage) } : {}),
    }),
  }
}

function tokensOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + piece.tokens, 0)
}
