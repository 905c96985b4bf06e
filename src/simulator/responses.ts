import {
  type Answer,
  type AnswerFormat,
  failureMessage,
  pieceChars,
  sse,
  sseComment,
  sseType,
} from './answer-format.ts'
import type { JsonObject } from './json.ts'
import { reportsUsage } from './openai-usage.ts'
import type { Piece } from './plan.ts'
import { type ResponseItem, responseItem } from './response-items.ts'
import { responseObject } from './response-object.ts'

/** `POST /v1/responses`: a tree of items and parts, each opened and closed by events of its own. */
export function responsesFormat(answer: Answer): AnswerFormat {
  const { plan } = answer
  const { script } = plan
  const reported = reportsUsage(script, true) ? plan.usage : undefined
  const summarised = script.reasoning === 'summarised'
  const finished: JsonObject[] = []
  let sequence = 0
  let open: ResponseItem | undefined

  const event = (type: string, fields: JsonObject): string =>
    sse({ type, sequence_number: sequence++, ...fields }, type)
  const whole = (status: string, extra: JsonObject = {}): JsonObject =>
    responseObject(answer, status, status === 'in_progress' ? undefined : reported, finished, extra)

  const close = (): string[] => {
    if (open === undefined) return []
    const events = open.closing().map(([type, fields]) => event(type, { output_index: finished.length, ...fields }))
    events.push(event('response.output_item.done', { output_index: finished.length, item: open.done() }))
    finished.push(open.done())
    open = undefined
    return events
  }
  const begin = (piece: Piece): string[] => {
    const item = responseItem(answer.id, finished.length, piece, summarised)
    open = item
    const added = event('response.output_item.added', { output_index: finished.length, item: item.begun() })
    return [added, ...item.opening().map(([type, fields]) => event(type, { output_index: finished.length, ...fields }))]
  }
  const outcome = (): JsonObject =>
    plan.finishReason === 'length'
      ? whole('incomplete', { incomplete_details: { reason: 'max_output_tokens' } })
      : whole('completed')

  return {
    contentType: sseType,
    comment: sseComment,
    opening: () => [
      event('response.created', { response: whole('in_progress') }),
      event('response.in_progress', { response: whole('in_progress') }),
    ],
    piece(piece) {
      const before = open?.holds(piece) ? [] : [...close(), ...begin(piece)]
      // The tool's name is in the item's opening, which carries no output by itself.
      if (piece.tool?.opens) return { before, event: undefined, chars: 0 }
      const [type, fields] = (open as ResponseItem).delta(piece.text)
      return { before, event: event(type, { output_index: finished.length, ...fields }), chars: pieceChars(piece) }
    },
    closing: () => {
      const events = close()
      const response = outcome()
      return [...events, event(`response.${response['status']}`, { response })]
    },
    failure: () => {
      const error = { code: 'server_error', message: failureMessage }
      return [
        event('error', { ...error, param: null }),
        event('response.failed', { response: whole('failed', { error }) }),
      ]
    },
    whole: () => {
      for (const piece of wholePieces(answer)) {
        if (!open?.holds(piece)) {
          close()
          begin(piece)
        }
        if (!piece.tool?.opens) open?.delta(piece.text)
      }
      close()
      return outcome()
    },
  }
}

function wholePieces({ plan }: Answer): Piece[] {
  return plan.groups.flatMap(({ pieces }) => [...pieces])
}
