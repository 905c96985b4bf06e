import type { JsonObject } from './json.ts'
import type { SimulatedOperation } from './request.ts'

/** An error answer, before an API has given it its shape. */
export interface SimulatedError {
  readonly status: number
  readonly message: string
  /** OpenAI's `type` and `code`; Anthropic's type goes by the status. */
  readonly type: string
  readonly code: string | null
}

export function badRequest(message: string): SimulatedError {
  return { status: 400, message, type: 'invalid_request_error', code: null }
}

export function unknownModel(model: string): SimulatedError {
  const message = `The model \`${model}\` does not exist. Ask /v1/models which there are.`
  return { status: 404, message, type: 'invalid_request_error', code: 'model_not_found' }
}

export function unknownPath(method: string, path: string): SimulatedError {
  return {
    status: 404,
    message: `Unknown request URL: ${method} ${path}`,
    type: 'invalid_request_error',
    code: 'unknown_url',
  }
}

export function scriptedError(status: number): SimulatedError {
  if (status === 429) {
    return { status, message: 'Rate limit reached (simulated).', type: 'rate_limit_error', code: 'rate_limit_exceeded' }
  }
  if (status >= 500) {
    return { status, message: 'The simulated server had an error.', type: 'server_error', code: 'simulated_failure' }
  }
  return { status, message: 'Refused (simulated).', type: 'invalid_request_error', code: null }
}

const anthropicTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

/** The error's body as the operation's API has it. */
export function errorBody(error: SimulatedError, operation: SimulatedOperation | undefined, id: string): JsonObject {
  if (operation === 'messages') {
    const type = anthropicTypes[error.status] ?? (error.status >= 500 ? 'api_error' : 'invalid_request_error')
    return { type: 'error', error: { type, message: error.message }, request_id: id }
  }
  if (operation === 'ollama_chat' || operation === 'ollama_generate') return { error: error.message }
  return { error: { message: error.message, type: error.type, param: null, code: error.code } }
}
