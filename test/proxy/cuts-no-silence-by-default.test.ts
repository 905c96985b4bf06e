import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { mock, type TestContext, test } from 'node:test'
import { Agent } from 'undici'
import { done, finish, role, say } from '../helpers/chat-events.ts'
import { type HeldGateway, startHeldGateway } from '../helpers/held-gateway.ts'
import { type ConfigChanges, type ProxyUnderTest, startProxy } from '../helpers/proxy-under-test.ts'
import { type ReadingClient, send } from '../helpers/reading-client.ts'

const minutes = 60_000

// Timers run when the test lets time pass; sockets go on as they are. undici keeps a time of its own, which it can be told for tests.
mock.timers.enable({ apis: ['setTimeout'] })
const undiciTimers = createRequire(import.meta.url)('undici/lib/util/timers.js') as { tick(ms: number): void }

function pass(ms: number): void {
  for (let passed = 0; passed < ms; passed += 10_000) {
    mock.timers.tick(10_000)
    undiciTimers.tick(10_000)
  }
}

async function start(
  t: TestContext,
  config: ConfigChanges = {},
): Promise<{ gateway: HeldGateway; proxy: ProxyUnderTest; ask(stream: boolean): ReadingClient }> {
  const gateway = await startHeldGateway(t)
  const proxy = await startProxy(t, gateway.url, { config })
  return {
    gateway,
    proxy,
    ask: (stream) => send(`${proxy.url}/v1/chat/completions`, { model: 'm', stream }),
  }
}

test('25 minutes of silence in a stream are not cut', { timeout: 10_000 }, async (t) => {
  const { gateway, proxy, ask } = await start(t)
  const client = ask(true)
  const held = await gateway.next()
  held.head()
  held.write(role + say('before'))
  await client.seen('before')
  pass(25 * minutes)
  held.end(say('after') + finish() + done)
  assert.match((await client.body).toString(), /before[\s\S]*after[\s\S]*DONE/)
  assert.equal((await proxy.measurement()).outcome, 'ok')
})

test('25 minutes without a head are not cut', { timeout: 10_000 }, async (t) => {
  const { gateway, proxy, ask } = await start(t)
  const client = ask(false)
  const held = await gateway.next()
  pass(25 * minutes)
  held.head(200, { 'content-type': 'application/json' })
  held.end('{}')
  assert.equal((await client.body).toString(), '{}')
  assert.equal((await proxy.measurement()).outcome, 'ok')
})

test('the idle limit that is set by default is 30 minutes, and says so', { timeout: 10_000 }, async (t) => {
  const { gateway, proxy, ask } = await start(t)
  const client = ask(true)
  const held = await gateway.next()
  held.head()
  held.write(say('before'))
  await client.seen('before')
  pass(30 * minutes)
  await held.gone
  await assert.rejects(client.body)
  const m = await proxy.measurement()
  assert.equal(m.outcome, 'gateway_timeout')
  assert.equal(m.error, 'idle_timeout (30m)')
})

test('with limits of 0 a silence of hours is not cut', { timeout: 20_000 }, async (t) => {
  const timeouts = { connect: 0, firstByte: 0, idle: 0, total: 0 }
  const { gateway, proxy, ask } = await start(t, { gateways: [{ timeouts }] })
  const client = ask(true)
  const held = await gateway.next()
  pass(120 * minutes)
  held.head()
  held.write(say('before'))
  await client.seen('before')
  pass(120 * minutes)
  held.end(finish() + done)
  await client.body
  assert.equal((await proxy.measurement()).outcome, 'ok')
})

test("undici's own limits would have cut, in the same time held in the same way", { timeout: 10_000 }, async (t) => {
  const gateway = await startHeldGateway(t)
  const agent = new Agent()
  t.after(() => agent.destroy())
  const answer = agent.request({ origin: `http://127.0.0.1:${gateway.port}`, path: '/', method: 'GET' })
  await gateway.next()
  const cut = assert.rejects(answer, { code: 'UND_ERR_HEADERS_TIMEOUT' })
  pass(6 * minutes)
  await cut
})
