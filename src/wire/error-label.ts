import type { AnswerFacts } from './event-reading.ts'
import { labelOf, listOf, objectOf } from './loose-json.ts'

type ErrorField = 'type' | 'status' | 'code' | 'metadata' | 'error' | 'object'

/** The label of an error that says nothing of its kind, in an answer whose status does not either. */
export const unnamedError = 'error'

/**
 * Notes the first error of an answer: an `error` at the top of an event or a body (or of the first object of an array, as
 * Gemini sends it), OpenAI's flat `{"type":"error", …}`, vLLM's flat `{"object":"error", …}`.
 */
export function readError(message: unknown, facts: AnswerFacts): void {
  if (facts.error !== undefined) return
  const object = objectOf<ErrorField>(Array.isArray(message) ? message.find((entry) => objectOf(entry)) : message)
  if (object === undefined) return
  if (object.error) noteError(object.error, facts)
  else if (object.type === 'error') facts.error = labelOf(codeOf(object.code)) ?? labelOf(object.status) ?? unnamedError
  else if (object.object === 'error') noteError(object, facts)
}

/** Notes an error object, an error in a string, or whatever else stands where an error belongs. */
export function noteError(error: unknown, facts: AnswerFacts): void {
  facts.error ??= errorLabel(error) ?? unnamedError
}

/** OpenRouter's `metadata.error_type`, else the first of `type`, `status`, `code`; a string as it is. wire.md, section 8. */
function errorLabel(error: unknown): string | undefined {
  if (typeof error === 'string') return labelOf(error)
  const object = objectOf<ErrorField>(Array.isArray(error) ? listOf(error)[0] : error)
  if (object === undefined) return undefined
  return (
    labelOf(objectOf<'error_type'>(object.metadata)?.error_type) ??
    labelOf(object.type) ??
    labelOf(codeOf(object.status)) ??
    labelOf(codeOf(object.code))
  )
}

function codeOf(code: unknown): unknown {
  return typeof code === 'number' ? String(code) : code
}
