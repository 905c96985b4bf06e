import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { embedMany, generateText, jsonSchema, streamText, tool } from 'ai'
import { Ollama } from 'ollama'
import { all, errorOf, messages, quick, sameBothWays } from '../helpers/both-ways.ts'

const limit = { timeout: 20_000 }
const root = (url: string): string => url.replace(/\/v1$/, '')
const sim = { ...quick, tokens: 30 }
const parameters = { type: 'object' as const, properties: { city: { type: 'string' as const } } }

test('@anthropic-ai/sdk: whole, streamed, thinking, tools, cache and errors', limit, async (t) => {
  const { proxy } = await sameBothWays(t, 7, async (baseUrl) => {
    const anthropic = new Anthropic({ baseURL: root(baseUrl), apiKey: 'sk-mine', maxRetries: 0, timeout: 10_000 })
    const body = { model: 'sim/fast', messages, max_tokens: 200, ...{ seed: 2, sim } }
    const tools = [{ name: 'weather', input_schema: parameters }]
    const text = 'The same long rules. '.repeat(300)
    const cached = {
      ...body,
      model: 'sim/cached',
      system: [{ type: 'text' as const, text, cache_control: { type: 'ephemeral' as const } }],
    }
    return [
      await anthropic.messages.create(body),
      await all(await anthropic.messages.create({ ...body, stream: true })),
      await all(await anthropic.messages.create({ ...body, model: 'sim/reasoning', stream: true })),
      await anthropic.messages.stream({ ...body, model: 'sim/tools', tools }).finalMessage(),
      await anthropic.messages.create(cached),
      (await anthropic.messages.stream(cached).finalMessage()).usage,
      await errorOf(anthropic.messages.create({ ...body, model: 'sim/nobody' })),
    ]
  })
  const { measurements } = proxy
  assert.ok(measurements.every(({ identity }) => identity.operation === 'messages'))
  assert.deepEqual(
    measurements.map(({ outcome, streamed }) => [outcome, streamed]),
    [
      ['ok', false],
      ['ok', true],
      ['ok', true],
      ['ok', true],
      ['ok', false],
      ['ok', true],
      ['http_4xx', false],
    ],
  )
  // Anthropic tells cached tokens beside the input; here they are a part of it.
  assert.equal(measurements[5]?.cache, 'hit')
  assert.equal(measurements[5]?.tokens?.input, measurements[4]?.tokens?.input)
  assert.equal(measurements[5]?.identity.cacheHints.cacheControl, 1)
})

test('ollama: chat and generate, whole and streamed, thinking and tools', limit, async (t) => {
  const { proxy } = await sameBothWays(t, 7, async (baseUrl) => {
    const ollama = new Ollama({ host: root(baseUrl) })
    const chat = { model: 'sim/reasoning', messages, options: { seed: 6 }, ...{ sim } }
    const generate = { model: 'sim/fast', prompt: 'Say something.', options: { seed: 1 }, ...{ sim } }
    const tools = [{ type: 'function', function: { name: 'weather', description: '', parameters } }]
    return [
      await ollama.chat({ ...chat, stream: false }),
      await all(await ollama.chat({ ...chat, stream: true })),
      await all(await ollama.chat({ ...chat, model: 'sim/tools', tools, stream: true })),
      await ollama.generate({ ...generate, stream: false }),
      await all(await ollama.generate({ ...generate, stream: true })),
      await ollama.list(),
      await errorOf(ollama.chat({ ...chat, model: 'sim/nobody', stream: false })),
    ]
  })
  assert.deepEqual(
    proxy.measurements.map(({ identity, outcome, streamed }) => [identity.operation, outcome, streamed]),
    [
      ['ollama_chat', 'ok', false],
      ['ollama_chat', 'ok', true],
      ['ollama_chat', 'ok', true],
      ['ollama_generate', 'ok', false],
      ['ollama_generate', 'ok', true],
      [undefined, 'ok', false],
      ['ollama_chat', 'http_4xx', false],
    ],
  )
})

test('ai: text, streamed and whole, reasoning, tools and embeddings', limit, async (t) => {
  const { proxy } = await sameBothWays(t, 5, async (baseUrl) => {
    const provider = createOpenAICompatible({
      name: 'sim',
      baseURL: baseUrl,
      apiKey: 'sk-mine',
      includeUsage: true,
      headers: { 'x-sim-script': JSON.stringify(sim) },
    })
    const ask = { prompt: 'Say something.', seed: 4, maxRetries: 0 }
    const streamed = async (model: string, more: object = {}): Promise<unknown> => {
      const parts = await all(streamText({ ...ask, model: provider(model), ...more }).fullStream)
      // The steps bear the headers and bodies of the exchange.
      return parts.map((part) =>
        part.type === 'finish-step' || part.type === 'start-step' ? [part.type] : withoutIds(part),
      )
    }
    const weather = tool({ description: '', inputSchema: jsonSchema(parameters) })
    const whole = await generateText({ ...ask, model: provider('sim/fast') })
    return [
      [whole.text, whole.usage, whole.finishReason],
      await streamed('sim/fast'),
      await streamed('sim/reasoning'),
      await streamed('sim/tools', { tools: { weather } }),
      (await embedMany({ model: provider.embeddingModel('sim/embedding'), values: ['water', 'river'] })).embeddings,
    ]
  })
  assert.ok(proxy.measurements.every(({ outcome }) => outcome === 'ok'))
  const tokens = proxy.measurements.map((m) => m.tokens?.output)
  assert.deepEqual(tokens.slice(0, 3), [30, 30, 30])
})

/** The library draws some ids by chance. */
function withoutIds(part: unknown): unknown {
  return JSON.parse(JSON.stringify(part, (key, value) => (/id$/i.test(key) ? undefined : value)))
}
