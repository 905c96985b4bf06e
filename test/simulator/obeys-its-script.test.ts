import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, dataOf, type Loose, simulatedGateway, userSays } from '../helpers/simulated-gateway.ts'

const messages = userSays('Say something.')

test('the reference stream happens in the order and not before the instants it was asked for', async (t) => {
  const simulator = await simulatedGateway(t)
  const scale = 0.05
  const sim = {
    headersMs: 100 * scale,
    comments: [120 * scale],
    openingMs: 150 * scale,
    ttftMs: 2150 * scale,
    reasoningTokens: 150,
    reasoningTokensPerSecond: 25 / scale,
    firstAnswerMs: 8150 * scale,
    tokens: 601,
    tokensPerSecond: 225.5 / scale,
    endMs: 11 * scale,
  }
  const body = { model: 'sim/fast', stream: true, stream_options: { include_usage: true }, messages, sim }
  const answer = await ask(simulator, body, { headers: { 'x-sim-exchange': 'reference' } })
  const text = await answer.text()
  assert.equal(answer.headers.get('x-request-id'), 'reference')
  const events = dataOf(text)
  assert.ok(text.startsWith(': keep-alive\n\ndata: '), 'the comment comes before the role chunk')
  assert.equal(events.at(-1), '[DONE]')
  assert.equal(events.at(-2).usage.completion_tokens, 601)
  assert.equal(events.at(-2).usage.completion_tokens_details.reasoning_tokens, 150)
  const deltas = events.slice(1, -3).map((event) => Object.keys(event.choices[0].delta)[0])
  assert.deepEqual(deltas, [...Array(150).fill('reasoning_content'), ...Array(451).fill('content')])

  const truth = simulator.truth('reference')
  assert.ok(truth !== undefined)
  const { marks, written } = truth
  assert.equal(truth.state, 'completed')
  assert.equal(written.tokens, 601)
  assert.equal(written.writes, 601)
  assert.equal(written.firstWriteTokens, 1)
  assert.equal(written.comments, 1)
  assert.equal(written.bytes, Buffer.byteLength(text))
  // Never early; how late is the machine's affair.
  assert.ok(marks.headers! >= sim.headersMs)
  assert.ok(marks.firstByte! >= 120 * scale)
  assert.ok(marks.firstToken! >= sim.ttftMs)
  assert.equal(marks.firstReasoning, marks.firstToken)
  assert.ok(marks.firstAnswer! >= sim.firstAnswerMs)
  assert.ok(marks.lastToken! >= 10_149 * scale)
  assert.ok(marks.ended! >= marks.lastToken!)
  assert.deepEqual(
    truth.instants.toSorted((a, b) => a - b),
    truth.instants,
  )
})

test('several tokens an event and several events a write are counted as they are', async (t) => {
  const simulator = await simulatedGateway(t)
  const sim = { ttftMs: 5, tokens: 96, tokensPerSecond: 4000, tokensPerEvent: 4, eventsPerWrite: 6 }
  const answer = await ask(simulator, { model: 'sim/fast', stream: true, messages, sim })
  const events = dataOf(await answer.text())
  assert.equal(events.filter((event) => event.choices?.[0]?.delta.content).length, 24)
  const { written, instants } = simulator.truth(answer.headers.get('x-request-id')!)!
  assert.deepEqual([written.tokens, written.events, written.writes, written.firstWriteTokens], [96, 24, 4, 24])
  // 24 tokens at 4000 a second lie between two writes; the first one is at 5 ms.
  for (const [at, instant] of instants.entries()) assert.ok(instant >= 5 + at * 6)
})

test('usage comes only where it was asked for, and with every chunk if that was asked', async (t) => {
  const simulator = await simulatedGateway(t)
  const sim = { ttftMs: 1, tokens: 7, tokensPerSecond: 10_000 }
  const read = async (body: object) =>
    dataOf(await (await ask(simulator, { model: 'sim/fast', stream: true, messages, sim, ...body })).text())
  assert.ok((await read({})).every((event) => event.usage === undefined))
  const asked = await read({ stream_options: { include_usage: true } })
  assert.deepEqual(
    asked.flatMap((event) => (event.usage ? [[event.choices.length, event.usage.completion_tokens]] : [])),
    [[0, 7]],
  )
  const continuous = await read({ stream_options: { include_usage: true, continuous_usage_stats: true } })
  const counts = continuous.flatMap((event) => (event.usage ? [event.usage.completion_tokens] : []))
  assert.deepEqual(counts, [1, 2, 3, 4, 5, 6, 7, 7, 7])
  const never = await read({ stream_options: { include_usage: true }, sim: { ...sim, usage: false } })
  assert.ok(never.every((event) => event.usage === undefined))
})

test('a script may come in a header, and the body is laid over it', async (t) => {
  const simulator = await simulatedGateway(t)
  const header = JSON.stringify({ tokens: 3, ttftMs: 1, tokensPerSecond: 10_000 })
  const answer = await ask(
    simulator,
    { model: 'sim/fast', messages, sim: { tokens: 5 } },
    { headers: { 'x-sim-script': header } },
  )
  assert.equal(((await answer.json()) as Loose).usage.completion_tokens, 5)
})

test('all mistakes in a script are named', async (t) => {
  const simulator = await simulatedGateway(t)
  const answer = await ask(simulator, { messages, sim: { ttft: 1, tokens: -1, fail: 'loudly' } })
  assert.equal(answer.status, 400)
  const { error } = (await answer.json()) as Loose
  for (const part of ['ttft: no such field', 'tokens: must be', 'fail: must be one of', 'model: must be'])
    assert.ok(error.message.includes(part), part)
})

test('a raw script is written as it stands', async (t) => {
  const simulator = await simulatedGateway(t)
  const raw = [
    [1, 'data: {"choi'],
    [5, 'ces":[]}\r\r'],
    [9, ''],
    [9, 'data: [DONE]\n\n'],
  ]
  const answer = await ask(simulator, { model: 'sim/fast', stream: true, sim: { raw, contentType: 'text/plain' } })
  assert.equal(answer.headers.get('content-type'), 'text/plain')
  assert.equal(await answer.text(), raw.map(([, text]) => text).join(''))
})
