/** Bytes of chat's events, as gateways send them. */
export function chat(message: object): string {
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', model: 'm-served', ...message })}\n\n`
}

export function delta(change: object, more: object = {}): string {
  return chat({ choices: [{ index: 0, delta: change, finish_reason: null }], ...more })
}

export const role = delta({ role: 'assistant', content: '' })
export const say = (content: string, more: object = {}): string => delta({ content }, more)
export const think = (reasoning: string, more: object = {}): string => delta({ reasoning }, more)

/** A piece of a tool call. */
export function call(part: { readonly name?: string; readonly arguments?: string }, more: object = {}): string {
  return delta(
    { tool_calls: [{ index: 0, ...(part.name && { id: 'call_1', type: 'function' }), function: part }] },
    more,
  )
}

export function finish(reason = 'stop', more: object = {}): string {
  return chat({ choices: [{ index: 0, delta: {}, finish_reason: reason }], ...more })
}

/** `usage` as it stands in an answer. */
export function usageOf(output: number, more: object = {}): { readonly usage: object } {
  return { usage: { prompt_tokens: 20, completion_tokens: output, total_tokens: 20 + output, ...more } }
}

/** The usage event of `include_usage`. */
export const usage = (output: number, more: object = {}): string => chat({ choices: [], ...usageOf(output, more) })

export const done = 'data: [DONE]\n\n'

/** How an ordinary stream ends. */
export const ending = (output: number, more: object = {}): string => finish() + usage(output, more) + done

/** An ordinary whole answer. */
export function completion(content: string, more: object = {}): string {
  return JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'm-served',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    ...more,
  })
}
