import assert from 'node:assert/strict'
import { test } from 'node:test'
import Anthropic, { APIError } from '@anthropic-ai/sdk'
import { simulatedGateway } from '../helpers/simulated-gateway.ts'

const quick = { ttftMs: 1, tokensPerSecond: 20_000 }
const root = (url: string) => url.replace(/\/v1$/, '')
const client = (url: string) => new Anthropic({ baseURL: root(url), apiKey: 'none', maxRetries: 0, timeout: 10_000 })
const messages = [{ role: 'user' as const, content: 'Say something.' }]

test('a streamed message is the same as a whole one', async (t) => {
  const anthropic = client((await simulatedGateway(t)).url)
  const tools = [
    { name: 'search', input_schema: { type: 'object' as const, properties: { text: { type: 'string' } } } },
    { name: 'open', input_schema: { type: 'object' as const, properties: { line: { type: 'integer' } } } },
  ]
  for (const model of ['sim/fast', 'sim/reasoning', 'sim/tools']) {
    const body = { model, messages, tools, max_tokens: 500, ...{ seed: 2, sim: { ...quick, tokensPerEvent: 4 } } }
    const whole = await anthropic.messages.create(body)
    const streamed = await anthropic.messages.stream(body).finalMessage()
    assert.deepEqual(streamed.content, whole.content)
    assert.equal(streamed.stop_reason, whole.stop_reason)
    assert.equal(streamed.usage.output_tokens, whole.usage.output_tokens)
    assert.equal(whole.stop_reason, model === 'sim/tools' ? 'tool_use' : 'end_turn')
  }
})

test('a hinted prefix is written to the cache and read from it, beside the input tokens', async (t) => {
  const anthropic = client((await simulatedGateway(t)).url)
  const text = 'The same long rules. '.repeat(300)
  const body = {
    model: 'sim/cached',
    messages,
    max_tokens: 8,
    system: [{ type: 'text' as const, text, cache_control: { type: 'ephemeral' as const } }],
    ...{ sim: quick },
  }
  const first = (await anthropic.messages.create(body)).usage
  const second = (await anthropic.messages.stream(body).finalMessage()).usage
  assert.equal(first.cache_creation_input_tokens, 1575)
  assert.equal(first.cache_read_input_tokens, 0)
  assert.equal(second.cache_read_input_tokens, 1575)
  assert.equal(second.cache_creation_input_tokens, 0)
  assert.ok(first.input_tokens > 0 && first.input_tokens < 10)
})

test('errors have the shape of this API, before the stream and in it', async (t) => {
  const anthropic = client((await simulatedGateway(t)).url)
  const body = { model: 'sim/fast', messages, max_tokens: 20 }
  await assert.rejects(anthropic.messages.create({ ...body, model: 'sim/nobody' }), (error) => {
    assert.ok(error instanceof APIError)
    assert.equal(error.status, 404)
    assert.equal(error.type, 'not_found_error')
    return true
  })
  const failing = { ...body, ...{ sim: { ...quick, fail: 'error', failAt: 3 } } }
  await assert.rejects(anthropic.messages.stream(failing).finalMessage(), /failed half-way/)
})
