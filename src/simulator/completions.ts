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
import { openaiUsage, reportsUsage } from './openai-usage.ts'

/** `POST /v1/completions`, the legacy form: text alone. */
export function completionsFormat(answer: Answer): AnswerFormat {
  const { request, plan } = answer
  const { script, usage } = plan
  const finish = script.finishReason ?? (plan.finishReason === 'length' ? 'length' : 'stop')
  const withUsage = reportsUsage(script, request.includeUsage)
  const { provider } = script
  const frame = {
    id: `cmpl-${answer.id}`,
    object: 'text_completion',
    created: answer.created,
    model: answer.servedModel,
    ...(provider === undefined ? {} : { provider }),
  }
  let output = 0
  const chunk = (choices: JsonObject[], reported: unknown = null): string =>
    sse({ ...frame, choices, ...(withUsage ? { usage: reported } : {}) })
  const soFar = (): unknown => (request.continuousUsage ? openaiUsage(usage, output) : null)
  const choice = (index: number, text: string, reason: string | null): JsonObject => ({
    index,
    text,
    logprobs: null,
    finish_reason: reason,
  })
  return {
    contentType: sseType,
    comment: sseComment,
    opening: () => [],
    piece(piece) {
      output += piece.tokens
      return { before: [], event: chunk([choice(piece.choice, piece.text, null)], soFar()), chars: pieceChars(piece) }
    },
    closing: () => [
      ...Array.from({ length: request.choices }, (_, index) => chunk([choice(index, '', finish)], soFar())),
      ...(withUsage ? [chunk([], openaiUsage(usage))] : []),
      sse('[DONE]'),
    ],
    failure: () => [
      sse({ error: { message: failureMessage, type: 'server_error', param: null, code: 'simulated_failure' } }),
    ],
    whole: () => ({
      ...frame,
      choices: wholeChoices(answer).map((whole, index) => choice(index, whole.answer, finish)),
      ...(reportsUsage(script, true) ? { usage: openaiUsage(usage) } : {}),
    }),
  }
}
