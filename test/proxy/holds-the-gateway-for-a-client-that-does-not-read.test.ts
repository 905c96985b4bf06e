import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { done, finish, say } from '../helpers/chat-events.ts'
import { type HeldRequest, startHeldGateway } from '../helpers/held-gateway.ts'
import { startProxy } from '../helpers/proxy-under-test.ts'

const comment = `: ${'x'.repeat(65_533)}\n`
const total = 64 * 2 ** 20

/** An answer whose client has not begun to read it. */
async function unread(t: TestContext, url: string): Promise<IncomingMessage> {
  const request = httpRequest(url, { method: 'POST', agent: false, headers: { 'content-type': 'application/json' } })
  t.after(() => request.destroy())
  request.on('error', () => {})
  request.end(JSON.stringify({ model: 'm', stream: true }))
  const [answer] = await once(request, 'response')
  answer.on('error', () => {})
  return answer
}

/** Writes as fast as the connection takes it, and counts what it took. */
function flood(held: HeldRequest): {
  accepted: number
  readonly over: Promise<void>
  digest(): string
} {
  const hash = createHash('sha256')
  const state = { accepted: 0 }
  const write = (text: string): Promise<void> => {
    hash.update(text)
    return new Promise((resolve) =>
      held.response.write(text, () => {
        state.accepted += text.length
        resolve()
      }),
    )
  }
  const over = (async () => {
    await write(say('first'))
    for (let sent = 0; sent < total; sent += comment.length) await write(comment)
    await write(`\n${say('last')}${finish()}${done}`)
    held.end()
  })()
  return Object.assign(state, { over, digest: () => hash.digest('hex') })
}

/** Resolves once nothing more is taken for a while. (That it is too early can only make a test pass that holds the count against a bound.) */
async function standstill(count: () => number): Promise<void> {
  for (let last = -1, still = 0; still < 10; still = count() === last ? still + 1 : 0) {
    last = count()
    await wait(20)
  }
}

test('what the gateway has sent stands still, and every byte comes once the client reads', {
  timeout: 60_000,
}, async (t) => {
  const gateway = await startHeldGateway(t)
  const proxy = await startProxy(t, gateway.url)
  const asked = unread(t, `${proxy.url}/v1/chat/completions`)
  const held = await gateway.next()
  held.head()
  const answer = await asked
  const flooding = flood(held)
  await standstill(() => flooding.accepted)
  const memory = process.memoryUsage()
  // The buffers of four sockets' ends, and no more.
  assert.ok(flooding.accepted < 40 * 2 ** 20, `${flooding.accepted} bytes were taken`)
  assert.ok(memory.arrayBuffers < 32 * 2 ** 20, `${memory.arrayBuffers} bytes are held`)

  const got = createHash('sha256')
  for await (const part of answer) got.update(part)
  assert.equal(got.digest('hex'), flooding.digest())
  const m = await proxy.measurement()
  assert.equal(m.outcome, 'ok')
  assert.equal(m.output.all.events, 2)
  assert.ok(m.pausedInWindowMs > 50)
})

test('a client that leaves without reading frees the gateway', { timeout: 60_000 }, async (t) => {
  const gateway = await startHeldGateway(t)
  const proxy = await startProxy(t, gateway.url)
  const asked = unread(t, `${proxy.url}/v1/chat/completions`)
  const held = await gateway.next()
  held.head()
  const answer = await asked
  const flooding = flood(held)
  flooding.over.catch(() => {})
  await standstill(() => flooding.accepted)
  answer.destroy()
  await held.gone
  assert.equal((await proxy.measurement()).outcome, 'client_abort')
})

test('the others are served while one does not read', { timeout: 60_000 }, async (t) => {
  const gateway = await startHeldGateway(t)
  const proxy = await startProxy(t, gateway.url)
  const asked = unread(t, `${proxy.url}/v1/chat/completions`)
  const held = await gateway.next()
  held.head()
  await asked
  const flooding = flood(held)
  flooding.over.catch(() => {})
  await standstill(() => flooding.accepted)
  const other = fetch(`${proxy.url}/v1/chat/completions`, { method: 'POST', body: '{"model":"m","stream":true}' })
  const free = await gateway.next()
  free.head()
  free.end(say('hello') + finish() + done)
  assert.match(await (await other).text(), /hello[\s\S]*DONE/)
})
