import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { ask, dataOf, type Loose, simulatedGateway, userSays } from '../helpers/simulated-gateway.ts'

const messages = userSays('Say something.')
const quick = { ttftMs: 1, tokensPerSecond: 20_000 }

/** Reads an answer that may break, down to what was received before the break. */
async function receive(simulator: Simulator, body: object): Promise<{ text: string; code: string | undefined }> {
  const sent = request(new URL('/v1/chat/completions', simulator.url), { method: 'POST', agent: false })
  // A reset is told to the request as well as to its answer.
  sent.on('error', () => undefined)
  sent.end(JSON.stringify({ model: 'sim/fast', messages, stream: true, ...body }))
  try {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    let text = ''
    answer.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    const code = await new Promise<string | undefined>((resolve) => {
      answer.once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
      answer.once('end', () => resolve(undefined))
    })
    return { text, code }
  } catch (error) {
    return { text: '', code: (error as NodeJS.ErrnoException).code }
  }
}

for (const fail of ['reset', 'truncate'] as const) {
  test(`a ${fail} after ten tokens`, async (t) => {
    const simulator = await simulatedGateway(t)
    const { text, code } = await receive(simulator, { sim: { ...quick, fail, failAt: 10 } })
    assert.equal(code, 'ECONNRESET')
    assert.equal(dataOf(text).length, 11)
    const truth = simulator.truths()[0]!
    assert.equal(truth.written.tokens, 10)
    assert.equal(truth.state, 'failed')
    assert.deepEqual(truth.injected, [fail])
  })
}

test('a reset before the headers', async (t) => {
  const simulator = await simulatedGateway(t)
  assert.deepEqual(await receive(simulator, { sim: { fail: 'reset', failAt: -1 } }), { text: '', code: 'ECONNRESET' })
  assert.equal(simulator.truths()[0]!.marks.headers, undefined)
})

test('an error inside a 200, streamed and whole', async (t) => {
  const simulator = await simulatedGateway(t)
  const sim = { ...quick, fail: 'error', failAt: 4 }
  const { text, code } = await receive(simulator, { sim })
  assert.equal(code, undefined)
  const events = dataOf(text)
  assert.equal(events.length, 6)
  assert.equal(events[5].error.code, 'simulated_failure')
  const whole = await ask(simulator, { model: 'sim/fast', messages, sim })
  assert.equal(whole.status, 200)
  assert.equal(((await whole.json()) as Loose).error.code, 'simulated_failure')
})

test('a status, with its retry-after', async (t) => {
  const simulator = await simulatedGateway(t)
  const answer = await ask(simulator, { model: 'sim/fast', messages, stream: true, sim: { status: 429 } })
  assert.equal(answer.status, 429)
  assert.equal(answer.headers.get('retry-after'), '1')
  assert.equal(((await answer.json()) as Loose).error.type, 'rate_limit_error')
  assert.deepEqual(simulator.truths()[0]!.injected, ['status_429'])
})

test('sim/hang sends its headers and nothing more, until the client leaves', { timeout: 10_000 }, async (t) => {
  const simulator = await simulatedGateway(t)
  const leave = new AbortController()
  const body = { model: 'sim/hang', messages, stream: true }
  const answer = await ask(simulator, body, { signal: leave.signal, headers: { 'x-sim-exchange': 'hung' } })
  assert.equal(answer.status, 200)
  const truth = simulator.truth('hung')!
  assert.equal(truth.state, 'running')
  leave.abort()
  await assert.rejects(answer.text())
  while (truth.state === 'running') await new Promise(setImmediate)
  assert.equal(truth.state, 'client_left')
  assert.ok(truth.marks.clientLeft! >= truth.marks.headers!)
  assert.equal(truth.marks.firstByte, undefined)
  assert.equal(truth.written.bytes, 0)
})

test('a client that leaves half-way stops the answer', { timeout: 10_000 }, async (t) => {
  const simulator = await simulatedGateway(t)
  const leave = new AbortController()
  const sim = { ttftMs: 1, tokens: 100_000, tokensPerSecond: 500 }
  const answer = await ask(simulator, { model: 'sim/fast', messages, stream: true, sim }, { signal: leave.signal })
  const truth = simulator.truths()[0]!
  for await (const _ of answer.body!) if (truth.written.tokens > 3) break
  while (truth.state === 'running') await new Promise(setImmediate)
  assert.equal(truth.state, 'client_left')
  const { tokens } = truth.written
  assert.ok(tokens < 100_000)
})

test('flaky fails in every way it knows, the same for the same seed', async (t) => {
  const run = async () => {
    const simulator = await simulatedGateway(t, { seed: 11 })
    for (let at = 0; at < 40; at++) await receive(simulator, { model: 'sim/flaky', sim: quick }).catch(() => undefined)
    return simulator.truths().map((truth) => truth.injected.join())
  }
  const first = await run()
  assert.deepEqual(new Set(first), new Set(['', 'status_429', 'status_500', 'reset', 'truncate', 'error']))
  assert.deepEqual(await run(), first)
})

test('what is no JSON, no model, no path is answered with an error, and the next request is well', async (t) => {
  const simulator = await simulatedGateway(t)
  for (const body of ['', '{', '[]', 'null', '{"model":7}'])
    assert.equal((await ask(simulator, body)).status, 400, body)
  assert.equal((await ask(simulator, {}, { path: '/v1/nothing' })).status, 404)
  assert.equal((await ask(simulator, {}, { path: '/sim/truth/nobody' })).status, 404)
  assert.equal((await fetch(`${simulator.url}/models/%E0%A4`)).status, 404)
  const odd = {
    model: 'sim/fast',
    messages: { content: [[[1, null]]] },
    tools: [7],
    n: -3,
    stream_options: 4,
    sim: { ...quick, tokens: 1 },
  }
  assert.equal((await ask(simulator, odd)).status, 200)
})
