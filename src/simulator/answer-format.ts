import type { JsonObject } from './json.ts'
import type { Piece, Plan } from './plan.ts'
import type { SimulatedRequest } from './request.ts'
import { codePoints } from './vocabulary.ts'

/** What an encoder needs to know of one answer. */
export interface Answer {
  readonly id: string
  /** Seconds since the epoch. */
  readonly created: number
  readonly servedModel: string
  readonly request: SimulatedRequest
  readonly plan: Plan
}

export interface EncodedPiece {
  /** Events that set the scene and carry no output. */
  readonly before: readonly string[]
  /** The output event; `undefined` where this API has none for such a piece. */
  readonly event: string | undefined
  /** Code points of output in the event. */
  readonly chars: number
}

/** One API's way to write an answer. Made for each answer; its methods are called in this order. */
export interface AnswerFormat {
  readonly contentType: string
  /** A keep-alive, or `''` where the framing has none. */
  readonly comment: string
  opening(): string[]
  piece(piece: Piece): EncodedPiece
  closing(): string[]
  /** An error in the midst of a stream. */
  failure(): string[]
  /** The answer of a request that asked for no stream. */
  whole(): JsonObject
}

export type AnswerFormatFactory = (answer: Answer) => AnswerFormat

/** Most APIs say in an event just what is in its piece: its text, or the name of the tool it calls. */
export function pieceChars({ text, tool }: Piece): number {
  return codePoints(tool?.opens ? tool.name : text)
}

export const failureMessage = 'The simulated model failed half-way.'

export const sseType = 'text/event-stream; charset=utf-8'
export const sseComment = ': keep-alive\n\n'

export function sse(data: unknown, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

/** All that one choice says, put together. */
export interface WholeChoice {
  reasoning: string
  answer: string
  readonly calls: { readonly id: string; readonly name: string; arguments: string }[]
}

export function wholeChoices({ plan, request }: Answer): WholeChoice[] {
  const choices = Array.from({ length: request.choices }, (): WholeChoice => ({ reasoning: '', answer: '', calls: [] }))
  for (const group of plan.groups) {
    for (const { phase, choice, text, tool } of group.pieces) {
      const whole = choices[choice] as WholeChoice
      if (phase === 'reasoning') whole.reasoning += text
      else if (phase === 'answer') whole.answer += text
      else if (tool?.opens) whole.calls.push({ id: tool.id, name: tool.name, arguments: '' })
      else (whole.calls.at(-1) as { arguments: string }).arguments += text
    }
  }
  return choices
}
