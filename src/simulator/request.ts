import { countOf, isObject, type JsonObject, listOf, objectOf, textOf } from './json.ts'
import { type Prompt, readPrompt } from './prompt.ts'
import { readScript, type Script } from './script.ts'
import { promptTokens } from './vocabulary.ts'

export type SimulatedOperation = 'chat' | 'completions' | 'responses' | 'messages' | 'ollama_chat' | 'ollama_generate'

export interface ToolDeclaration {
  readonly name: string
  /** JSON schema of the arguments. */
  readonly schema: JsonObject
}

/** A generation that was asked for. */
export interface SimulatedRequest {
  readonly operation: SimulatedOperation
  /** As asked, and the entry of the model table that it names: `sim/fast:free` is `sim/fast`. */
  readonly model: string
  readonly baseModel: string
  readonly stream: boolean
  readonly choices: number
  readonly includeUsage: boolean
  readonly continuousUsage: boolean
  readonly maxTokens: number | undefined
  readonly promptTokens: number
  /** The part of the prompt that shall be cached; `undefined` without a hint. */
  readonly cachePrefix: { readonly key: string; readonly tokens: number } | undefined
  readonly tools: readonly ToolDeclaration[]
  readonly toolChoice: 'none' | 'auto' | 'required'
  /** The last turn is a tool's result: time for an answer. */
  readonly afterTool: boolean
  /** The request's own `seed`. */
  readonly seed: number | undefined
  readonly script: Partial<Script>
}

function readTools(body: JsonObject): ToolDeclaration[] {
  return listOf(body['tools']).flatMap((entry) => {
    const tool = objectOf(entry)
    const inner = isObject(tool['function']) ? tool['function'] : tool
    const name = textOf(inner['name'])
    return name === undefined ? [] : [{ name, schema: objectOf(inner['parameters'] ?? inner['input_schema']) }]
  })
}

function readToolChoice(value: unknown): 'none' | 'auto' | 'required' {
  const kind = isObject(value) ? value['type'] : value
  if (kind === 'none') return 'none'
  return kind === 'required' || kind === 'any' || kind === 'tool' || kind === 'function' ? 'required' : 'auto'
}

function endsWithToolResult(body: JsonObject): boolean {
  const last = objectOf((Array.isArray(body['messages']) ? body['messages'] : listOf(body['input'])).at(-1))
  if (last['role'] === 'tool' || last['type'] === 'function_call_output') return true
  return listOf(last['content']).some((part) => objectOf(part)['type'] === 'tool_result')
}

function readSeed(body: JsonObject): number | undefined {
  return countOf(body['seed']) ?? countOf(objectOf(body['options'])['seed'])
}

function readCachePrefix(body: JsonObject, { text, hinted }: Prompt): SimulatedRequest['cachePrefix'] {
  if (hinted === 0) return undefined
  const prefix = text.slice(0, hinted)
  return { key: `${textOf(body['prompt_cache_key']) ?? ''}\n${prefix}`, tokens: promptTokens(prefix) }
}

/**
 * Reads a generation's body. `script` is the header `x-sim-script` if it was sent; the body's `sim` is laid over it.
 * Problems are for the client, all of them.
 */
export function readRequest(
  operation: SimulatedOperation,
  body: JsonObject,
  header: unknown,
): { request: SimulatedRequest; problems: string[] } {
  const byHeader = readScript(header)
  const byBody = readScript(body['sim'])
  const problems = [...byHeader.problems, ...byBody.problems]
  const model = textOf(body['model']) ?? ''
  if (model === '') problems.push('model: must be a string')
  const prompt = readPrompt(body)
  const options = objectOf(body['stream_options'])
  const prompts = operation === 'completions' && Array.isArray(body['prompt']) ? Math.max(1, body['prompt'].length) : 1
  const several = operation === 'chat' || operation === 'completions'
  const choices = several ? Math.min(128, Math.max(1, countOf(body['n']) ?? 1)) * prompts : 1
  const ollama = operation === 'ollama_chat' || operation === 'ollama_generate'
  const request: SimulatedRequest = {
    operation,
    model,
    baseModel: model.split(':')[0] as string,
    stream: ollama ? body['stream'] !== false : body['stream'] === true,
    choices,
    includeUsage: options['include_usage'] === true,
    continuousUsage: options['include_usage'] === true && options['continuous_usage_stats'] === true,
    maxTokens:
      countOf(body['max_completion_tokens']) ??
      countOf(body['max_tokens']) ??
      countOf(body['max_output_tokens']) ??
      countOf(objectOf(body['options'])['num_predict']),
    promptTokens: promptTokens(prompt.text),
    cachePrefix: readCachePrefix(body, prompt),
    tools: readTools(body),
    toolChoice: readToolChoice(body['tool_choice']),
    afterTool: endsWithToolResult(body),
    seed: readSeed(body),
    script: { ...byHeader.script, ...byBody.script },
  }
  return { request, problems }
}
