import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { ask, dataOf, type Loose, simulatedGateway, userSays } from '../helpers/simulated-gateway.ts'

const messages = userSays('Say something.')
const quick = { ttftMs: 1, tokensPerSecond: 50_000 }

test('the same seed gives the same answers, another one others', async (t) => {
  const run = async (seed: number) => {
    const simulator = await simulatedGateway(t, { seed })
    const texts = []
    for (const model of ['sim/fast', 'sim/reasoning', 'sim/fast', 'sim/tools']) {
      const { choices, usage } = (await (await ask(simulator, { model, messages, sim: quick })).json()) as Loose
      texts.push(JSON.stringify([choices, usage]))
    }
    assert.equal(new Set(texts).size, texts.length, 'each request has its own answer')
    return texts
  }
  const first = await run(1)
  assert.deepEqual(await run(1), first)
  assert.notDeepEqual(await run(2), first)
})

test('the truth can be asked for over HTTP, by exchange and all together', async (t) => {
  const simulator = await simulatedGateway(t)
  const sim = { ...quick, tokens: 20 }
  await (
    await ask(simulator, { model: 'sim/fast', messages, stream: true, sim }, { headers: { 'x-sim-exchange': 'one' } })
  ).text()
  await (await ask(simulator, { model: 'sim/fast', messages, sim }, { path: '/chat/completions' })).text()
  const get = async (path: string) => (await (await fetch(new URL(path, simulator.url))).json()) as Loose
  const one = await get('/sim/truth/one')
  assert.deepEqual(one, JSON.parse(JSON.stringify(simulator.truth('one'))))
  assert.equal(one.instants.length, 20)
  const all = await get('/v1/sim/truths')
  assert.deepEqual(
    all.map((truth: Loose) => [truth.operation, truth.streamed, truth.state]),
    [
      ['chat', true, 'completed'],
      ['chat', false, 'completed'],
    ],
  )
})

test('only the last exchanges are remembered', async (t) => {
  const simulator = await simulatedGateway(t)
  for (let at = 0; at < 2001; at++)
    await (await fetch(`${simulator.url}/models`, { headers: { 'x-sim-exchange': `m${at}` } })).text()
  assert.equal(simulator.truths().length, 2000)
  assert.equal(simulator.truth('m0'), undefined)
  assert.equal(simulator.truth('m2000')?.status, 200)
})

test('gzip is flushed with each write and says the same', async (t) => {
  const simulator = await simulatedGateway(t)
  const sim = { ttftMs: 1, tokens: 10, tokensPerSecond: 200, gzip: true }
  const sent = request(new URL('/v1/chat/completions', simulator.url), { method: 'POST', agent: false })
  sent.end(JSON.stringify({ model: 'sim/fast', messages, stream: true, seed: 1, sim }))
  const [answer] = await once(sent, 'response')
  assert.equal(answer.headers['content-encoding'], 'gzip')
  const parts: Buffer[] = []
  for await (const part of answer) parts.push(part)
  assert.ok(parts.length > 1, 'it does not come in one piece')
  const plain = await ask(simulator, {
    model: 'sim/fast',
    messages,
    stream: true,
    seed: 1,
    sim: { ...sim, gzip: false },
  })
  const contents = (text: string) => dataOf(text).map((event) => event.choices?.[0]?.delta.content)
  assert.deepEqual(contents(gunzipSync(Buffer.concat(parts)).toString()), contents(await plain.text()))
  const [truth] = simulator.truths()
  assert.equal(truth!.written.bytes, Buffer.concat(parts).length)
  assert.equal(truth!.instants.length, 10)
})

test('a held-back stream comes in one write at its end', async (t) => {
  const simulator = await simulatedGateway(t)
  const sim = { ...quick, tokens: 30, buffered: true }
  const answer = await ask(simulator, { model: 'sim/fast', messages, stream: true, sim })
  assert.equal(dataOf(await answer.text()).at(-1), '[DONE]')
  const { written, marks } = simulator.truths()[0]!
  assert.deepEqual([written.writes, written.events, written.firstWriteTokens], [1, 30, 30])
  assert.equal(marks.firstToken, marks.lastToken)
})

test('sim/loaded shares its speed among the streams that run side by side', async (t) => {
  const simulator = await simulatedGateway(t)
  const bodies = Array.from({ length: 4 }, () => ({ model: 'sim/loaded', messages, stream: true, sim: { tokens: 8 } }))
  const answers = await Promise.all(bodies.map((body) => ask(simulator, body)))
  await Promise.all(answers.map((answer) => answer.text()))
  // Token k of the stream that began as the i-th is never out before k * i / 160 seconds after its first.
  for (const [at, truth] of simulator.truths().entries()) {
    assert.ok(truth.instants[7]! >= (7 * 1000 * (at + 1)) / 160)
  }
})

test('a slowed model has its TTFT multiplied from then on', async (t) => {
  const simulator = await simulatedGateway(t)
  const body = { model: 'sim/fast', messages, stream: true, seed: 1, sim: { tokens: 1 } }
  await (await ask(simulator, body)).text()
  const told = await ask(simulator, { model: 'sim/fast', factor: 3 }, { path: '/sim/slow' })
  assert.equal(told.status, 200)
  await (await ask(simulator, body)).text()
  const [before, after] = simulator.truths()
  assert.ok(before!.marks.firstToken! >= 80)
  assert.ok(after!.marks.firstToken! >= 240)
  assert.equal((await ask(simulator, { model: 'sim/fast' }, { path: '/sim/slow' })).status, 400)
})
