import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI from 'openai'
import { ask, dataOf, type Loose, simulatedGateway } from '../helpers/simulated-gateway.ts'

const quick = { ttftMs: 1, tokensPerSecond: 20_000 }
const client = (baseURL: string) => new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0, timeout: 10_000 })

/** The items without what differs from one exchange to the next, and what the client itself adds to them. */
const saidBy = (output: Loose) =>
  JSON.parse(JSON.stringify(output, (key, value) => (key === 'id' || key.startsWith('parsed') ? undefined : value)))

test('a streamed response ends with the same object as a whole one', async (t) => {
  const openai = client((await simulatedGateway(t)).url)
  for (const model of ['sim/fast', 'sim/reasoning', 'sim/tools']) {
    const body = { model, input: 'Say something.', seed: 4, ...{ sim: quick } }
    const whole = await openai.responses.create(body)
    const streamed = await openai.responses.stream(body).finalResponse()
    assert.equal(whole.status, 'completed')
    assert.deepEqual(saidBy(streamed.output), saidBy(whole.output))
    assert.deepEqual(streamed.usage, whole.usage)
  }
})

test('a summary of the reasoning is short, and counted in the usage alone', async (t) => {
  const simulator = await simulatedGateway(t)
  const openai = client(simulator.url)
  const sim = { ...quick, firstAnswerMs: 4 }
  let summary = ''
  const stream = openai.responses.stream({ model: 'sim/summarised-reasoning', input: 'Think.', ...{ sim } })
  stream.on('response.reasoning_summary_text.delta', ({ delta }) => {
    summary += delta
  })
  const { usage } = await stream.finalResponse()
  assert.ok(summary.length > 0)
  assert.equal(usage!.output_tokens_details.reasoning_tokens, 300)
  assert.ok([...summary].length < 300)
  const { chars, written, tokens } = simulator.truths()[0]!
  assert.equal(chars.reasoning, [...summary].length)
  assert.equal(written.tokens, tokens.output - tokens.reasoning)
})

test('events are numbered without a gap and a cut answer is incomplete', async (t) => {
  const simulator = await simulatedGateway(t)
  const body = { model: 'sim/fast', stream: true, input: 'x', max_output_tokens: 5, sim: quick }
  const events = dataOf(await (await ask(simulator, body, { path: '/v1/responses' })).text())
  assert.deepEqual(
    events.map((event) => event.sequence_number),
    [...events.keys()],
  )
  assert.equal(events.filter((event) => event.type === 'response.output_text.delta').length, 5)
  const last = events.at(-1)
  assert.equal(last.type, 'response.incomplete')
  assert.equal(last.response.incomplete_details.reason, 'max_output_tokens')
  assert.equal(last.response.usage.output_tokens, 5)
})

test('a failure half-way is an error event and a failed response', async (t) => {
  const simulator = await simulatedGateway(t)
  const body = { model: 'sim/fast', stream: true, input: 'x', sim: { ...quick, fail: 'error', failAt: 3 } }
  const events = dataOf(await (await ask(simulator, body, { path: '/v1/responses' })).text())
  assert.deepEqual(
    events.slice(-2).map((event) => event.type),
    ['error', 'response.failed'],
  )
  assert.equal(simulator.truths()[0]!.written.tokens, 3)
})
