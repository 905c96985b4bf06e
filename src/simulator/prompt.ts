import { isObject, type JsonObject, listOf } from './json.ts'

/** What the request asks about, as one text, and how much of it the client wants cached. */
export interface Prompt {
  readonly text: string
  /** UTF-16 length of the prefix that a `cache_control` marker or a `prompt_cache_key` covers; 0 without a hint. */
  readonly hinted: number
}

const keysInOrder = ['tools', 'system', 'instructions', 'messages', 'input', 'prompt', 'name', 'content', 'text']
const keysAfter = ['thinking', 'arguments', 'output', 'description']

/** Collects the texts in the order in which gateways lay out a prompt: tools, system, messages. */
export function readPrompt(body: JsonObject): Prompt {
  const texts: string[] = []
  let length = 0
  let hinted = 0
  const add = (text: string): void => {
    texts.push(text)
    length += text.length
  }
  const walk = (value: unknown, depth: number): void => {
    if (depth > 12) return
    if (typeof value === 'string') add(value)
    else if (Array.isArray(value)) for (const entry of value) walk(entry, depth + 1)
    else if (isObject(value)) {
      for (const key of keysInOrder) if (Object.hasOwn(value, key)) walk(value[key], depth + 1)
      for (const key of keysAfter) if (Object.hasOwn(value, key)) walk(value[key], depth + 1)
      if (isObject(value['cache_control'])) hinted = length
    }
  }
  // With a cache key everything but the last message is taken for the part that stays the same.
  const turns = Array.isArray(body['messages']) ? body['messages'] : listOf(body['input'])
  const keyed = typeof body['prompt_cache_key'] === 'string'
  for (const key of keysInOrder.slice(0, 3)) walk(body[key], 1)
  for (const [at, turn] of turns.entries()) {
    if (keyed && at === turns.length - 1) hinted = Math.max(hinted, length)
    walk(turn, 2)
  }
  if (typeof body['input'] === 'string') add(body['input'])
  walk(body['prompt'], 1)
  return { text: texts.join(''), hinted }
}
