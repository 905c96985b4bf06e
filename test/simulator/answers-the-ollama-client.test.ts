import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ollama } from 'ollama'
import { ask, simulatedGateway } from '../helpers/simulated-gateway.ts'

const quick = { ttftMs: 1, tokensPerSecond: 20_000 }
const client = (url: string) => new Ollama({ host: url.replace(/\/v1$/, '') })
const messages = [{ role: 'user', content: 'Say something.' }]
const options = { seed: 6 }

test('a streamed chat is the same as a whole one', async (t) => {
  const simulator = await simulatedGateway(t)
  const ollama = client(simulator.url)
  const body = { model: 'sim/reasoning', messages, options, ...{ sim: quick } }
  const whole = await ollama.chat({ ...body, stream: false })
  let content = ''
  let thinking = ''
  let counted: number | undefined
  for await (const part of await ollama.chat({ ...body, stream: true })) {
    content += part.message.content
    thinking += part.message.thinking ?? ''
    if (part.done) counted = part.eval_count
  }
  assert.equal(content, whole.message.content)
  assert.equal(thinking, whole.message.thinking)
  assert.equal(counted, whole.eval_count)
  assert.equal(counted, simulator.truths()[1]!.written.tokens)
})

test('a tool call comes whole in one line, and is counted with all its tokens', async (t) => {
  const simulator = await simulatedGateway(t)
  const properties = { city: { type: 'string' } }
  const tool = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties } } }
  const body = { model: 'sim/tools', messages, options, tools: [tool], ...{ sim: quick } }
  const calls = []
  for await (const part of await client(simulator.url).chat({ ...body, stream: true })) {
    calls.push(...(part.message.tool_calls ?? []))
  }
  assert.equal(calls.length, 1)
  assert.equal(calls[0]!.function.name, 'weather')
  assert.equal(typeof calls[0]!.function.arguments['city'], 'string')
  const { written, chars, tokens } = simulator.truths()[0]!
  assert.equal(written.events, 1)
  assert.equal(written.tokens, tokens.output)
  assert.equal(written.firstWriteTokens, tokens.output)
  assert.equal(chars.tool, 'weather'.length + [...JSON.stringify(calls[0]!.function.arguments)].length)
})

test('generate, whole and streamed; the list of models', async (t) => {
  const ollama = client((await simulatedGateway(t)).url)
  const body = { model: 'sim/fast', prompt: 'Say something.', options: { seed: 1, num_predict: 12 }, ...{ sim: quick } }
  const whole = await ollama.generate({ ...body, stream: false })
  let text = ''
  for await (const part of await ollama.generate({ ...body, stream: true })) text += part.response
  assert.equal(text, whole.response)
  assert.equal(whole.eval_count, 12)
  assert.equal(whole.done_reason, 'length')
  assert.ok((await ollama.list()).models.some((model) => model.name === 'sim/fast'))
})

test('a stream is the default, and an error in it is a line', async (t) => {
  const simulator = await simulatedGateway(t)
  const body = { model: 'sim/fast', messages, sim: { ...quick, fail: 'error', failAt: 2 } }
  const answer = await ask(simulator, body, { path: '/api/chat' })
  assert.equal(answer.headers.get('content-type'), 'application/x-ndjson')
  const lines = (await answer.text()).trimEnd().split('\n')
  assert.equal(lines.length, 3)
  assert.deepEqual(Object.keys(JSON.parse(lines[2]!)), ['error'])
  await assert.rejects(client(simulator.url).chat({ model: 'sim/nobody', messages }), /does not exist/)
})
