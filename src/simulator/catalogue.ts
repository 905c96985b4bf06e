import type { JsonObject } from './json.ts'
import { listOf, textOf } from './json.ts'
import { models } from './models.ts'
import { createRandom } from './random.ts'
import { promptTokens } from './vocabulary.ts'

const created = 1_767_225_600

function modelEntry(name: string, about: string): JsonObject {
  return { id: name, object: 'model', created, owned_by: 'simulator', description: about }
}

/** `GET /v1/models`. */
export function listModels(): JsonObject {
  return { object: 'list', data: models.map(({ name, about }) => modelEntry(name, about)) }
}

/** `GET /v1/models/NAME`; `undefined` for a name that is none. */
export function showModel(name: string): JsonObject | undefined {
  const model = models.find((entry) => entry.name === name)
  return model === undefined ? undefined : modelEntry(model.name, model.about)
}

/** `GET /api/tags`, Ollama's list. */
export function listTags(): JsonObject {
  return {
    models: models.map(({ name }) => ({
      name,
      model: name,
      modified_at: new Date(created * 1000).toISOString(),
      size: 0,
      digest: '',
    })),
  }
}

/** `POST /v1/embeddings`: a vector of unit length for each input, the same for the same text. */
export function embeddings(body: JsonObject): JsonObject {
  const inputs = typeof body['input'] === 'string' ? [body['input']] : listOf(body['input'])
  const size = typeof body['dimensions'] === 'number' ? Math.min(4096, Math.max(1, Math.floor(body['dimensions']))) : 64
  let tokens = 0
  const data = inputs.map((input, index) => {
    const text = textOf(input) ?? JSON.stringify(input)
    tokens += promptTokens(text)
    const random = createRandom(text)
    const vector = Float32Array.from({ length: size }, () => random.between(-1, 1))
    const length = Math.hypot(...vector)
    for (let at = 0; at < size; at++) vector[at] = (vector[at] as number) / length
    const base64 = body['encoding_format'] === 'base64'
    return {
      object: 'embedding',
      index,
      embedding: base64 ? Buffer.from(vector.buffer).toString('base64') : [...vector],
    }
  })
  return {
    object: 'list',
    data,
    model: textOf(body['model']) ?? 'sim/embedding',
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}
