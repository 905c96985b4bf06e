import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI, { NotFoundError } from 'openai'
import { simulatedGateway } from '../helpers/simulated-gateway.ts'

const messages = [{ role: 'user' as const, content: 'Say something.' }]
const quick = { ttftMs: 1, tokensPerSecond: 20_000 }
const client = (baseURL: string) => new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0, timeout: 10_000 })

test('chat, whole and streamed, says the same for the same seed', async (t) => {
  const openai = client((await simulatedGateway(t)).url)
  const body = { model: 'sim/reasoning', messages, seed: 7, sim: { ...quick } }
  const whole = await openai.chat.completions.create(body)
  const stream = openai.chat.completions.stream({ ...body, stream_options: { include_usage: true } })
  const streamed = await stream.finalChatCompletion()
  assert.equal(streamed.choices[0]!.message.content, whole.choices[0]!.message.content)
  assert.equal(streamed.choices[0]!.finish_reason, 'stop')
  assert.deepEqual(streamed.usage, whole.usage)
  assert.ok(whole.usage!.completion_tokens_details!.reasoning_tokens! > 0)
})

test('two choices are told apart and both are counted', async (t) => {
  const openai = client((await simulatedGateway(t)).url)
  const sim = { ...quick, tokens: 20 }
  const stream = openai.chat.completions.stream({
    model: 'sim/fast',
    messages,
    n: 2,
    seed: 1,
    stream_options: { include_usage: true },
    ...{ sim },
  })
  const { choices, usage } = await stream.finalChatCompletion()
  assert.equal(choices.length, 2)
  assert.notEqual(choices[0]!.message.content, choices[1]!.message.content)
  assert.equal(usage!.completion_tokens, 40)
})

test('tools are called with arguments that fit their schema, then answered', async (t) => {
  const openai = client((await simulatedGateway(t)).url)
  const tools = ['search', 'open'].map((name) => ({
    type: 'function' as const,
    function: {
      name,
      parameters: { type: 'object', properties: { text: { type: 'string' }, count: { type: 'integer' } } },
    },
  }))
  const ask = { model: 'sim/tools', messages, tools, seed: 3, ...{ sim: quick } }
  const streamed = await openai.chat.completions
    .stream({ ...ask, stream_options: { include_usage: true } })
    .finalChatCompletion()
  const whole = await openai.chat.completions.create(ask)
  for (const completion of [streamed, whole]) {
    const [choice] = completion.choices
    assert.equal(choice!.finish_reason, 'tool_calls')
    const calls = choice!.message.tool_calls!.map((call) => (call.type === 'function' ? call.function : assert.fail()))
    assert.deepEqual(
      calls.map((call) => call.name),
      ['search', 'open'],
    )
    for (const call of calls) {
      const given = JSON.parse(call.arguments)
      assert.equal(typeof given.text, 'string')
      assert.ok(Number.isInteger(given.count))
    }
  }
  assert.deepEqual(streamed.usage, whole.usage)
  const after = await openai.chat.completions.create({
    ...ask,
    messages: [...messages, whole.choices[0]!.message, { role: 'tool', tool_call_id: 'x', content: 'found' }],
  })
  assert.equal(after.choices[0]!.finish_reason, 'stop')
})

test('legacy completions, whole and streamed, with several prompts', async (t) => {
  const openai = client((await simulatedGateway(t)).url)
  const body = { model: 'sim/bursty', prompt: ['one', 'two'], seed: 5, max_tokens: 10, ...{ sim: quick } }
  const whole = await openai.completions.create(body)
  assert.equal(whole.choices.length, 2)
  assert.equal(whole.choices[0]!.finish_reason, 'length')
  assert.equal(whole.usage!.completion_tokens, 20)
  const texts = ['', '']
  for await (const chunk of await openai.completions.create({ ...body, stream: true })) {
    for (const choice of chunk.choices) texts[choice.index] += choice.text
  }
  assert.deepEqual(
    texts,
    whole.choices.map((choice) => choice.text),
  )
})

test('models, embeddings, and a model that is not there', async (t) => {
  const openai = client((await simulatedGateway(t)).url)
  const names = (await openai.models.list()).data.map((model) => model.id)
  assert.ok(names.includes('sim/fast') && names.includes('sim/hang'))
  assert.equal((await openai.models.retrieve('sim/fast')).id, 'sim/fast')
  const { data, usage } = await openai.embeddings.create({ model: 'sim/embedding', input: ['water', 'river', 'water'] })
  assert.equal(data.length, 3)
  assert.deepEqual(data[0]!.embedding, data[2]!.embedding)
  assert.notDeepEqual(data[0]!.embedding, data[1]!.embedding)
  assert.equal(usage.prompt_tokens, 6)
  await assert.rejects(
    openai.chat.completions.create({ model: 'sim/nobody', messages }),
    (error) => error instanceof NotFoundError && error.code === 'model_not_found',
  )
})
