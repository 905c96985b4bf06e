import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { evaluate } from '../../src/measurement/figures.ts'
import { ending, role, say } from '../helpers/chat-events.ts'
import { watchClientWrites } from '../helpers/client-writes.ts'
import { HeldClock } from '../helpers/held-clock.ts'
import { startHeldGateway } from '../helpers/held-gateway.ts'
import { startProxy } from '../helpers/proxy-under-test.ts'
import { send } from '../helpers/reading-client.ts'

const path = '/v1/chat/completions'
const request = JSON.stringify({ model: 'm', stream: true, messages: [] })

/** Calls `act` in the middle of the proxy's writing these bytes to its client. */
function whileWriting(t: TestContext, marker: string, act: () => void): void {
  watchClientWrites(t, (_response, bytes, takesMore) => {
    if (bytes.includes(marker)) act()
    return takesMore
  })
}

test('upload, peek, connection and forwarding each have their own time', { timeout: 10_000 }, async (t) => {
  const clock = new HeldClock()
  const gateway = await startHeldGateway(t)
  let arrived: () => void = () => {}
  const head = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const proxy = await startProxy(t, gateway.url, {
    clock,
    idle: clock,
    // Read once, when the head of the request is there.
    wallClock: () => {
      arrived()
      return 0
    },
    recorders: [
      {
        // Called between the last body byte and t0.
        started: () => {
          clock.set(160)
          // Runs after t0, before a connection can be made.
          queueMicrotask(() => clock.set(175))
        },
        firstToken: () => {},
        ended: () => {},
      },
    ],
  })
  whileWriting(t, 'first', () => clock.set(507))
  clock.set(100)
  const client = send(`${proxy.url}${path}`, undefined, { unfinished: true })
  client.request.write(request.slice(0, 10))
  await head
  clock.set(150)
  client.request.end(request.slice(10))
  const held = await gateway.next()
  clock.set(300)
  held.head()
  await client.head
  clock.set(500)
  held.write(say('first'))
  await client.seen('first')
  clock.set(600)
  held.end(say('b') + ending(2))
  await client.body
  const m = await proxy.measurement()
  const { received, bodyReceived, dispatched, sent, headers, firstToken, firstTokenForwarded } = m.marks
  assert.deepEqual(
    [received, bodyReceived, dispatched, sent, headers, firstToken, firstTokenForwarded],
    [100, 150, 160, 175, 300, 500, 507],
  )
  const { figures } = evaluate(m)
  assert.equal(figures['request_upload_seconds'], 0.05)
  assert.equal(figures['connection_wait_seconds'], 0.015)
  assert.equal(figures['proxy_overhead_seconds'], 0.017)
  assert.equal(figures['time_to_headers_seconds'], 0.14)
  assert.equal(figures['time_to_first_token_seconds'], 0.34)
  assert.equal(figures['request_duration_seconds'], 0.44)
  const marks = proxy.log[0]?.['marks'] as Record<string, number>
  assert.deepEqual(marks, {
    received: 0,
    body_received: 50,
    dispatched: 60,
    sent: 75,
    headers: 200,
    first_byte: 400,
    first_event: 400,
    first_reasoning: null,
    first_answer: 400,
    first_token: 400,
    last_token: 500,
    ended: 500,
  })
})

test('a chunk that is handled late in its turn bears the mark of the turn, and says how late', {
  timeout: 10_000,
}, async (t) => {
  const clock = new HeldClock()
  const gateway = await startHeldGateway(t)
  const proxy = await startProxy(t, gateway.url, { clock, idle: clock })
  // The first chunk of the turn takes 3 ms.
  whileWriting(t, 'assistant', () => clock.set(503))
  const client = send(`${proxy.url}${path}`, request)
  const held = await gateway.next()
  held.head()
  await client.head
  clock.set(500)
  // Two chunks in one write of the socket: both are read in one turn. (A corked response makes one chunk of them since Node 22.)
  held.response.socket?.cork()
  held.write(role)
  held.write(say('first'))
  held.response.socket?.uncork()
  await client.seen('first')
  held.end(ending(1))
  await client.body
  const m = await proxy.measurement()
  assert.equal(m.marks.firstByte, 500)
  assert.equal(m.marks.firstToken, 500)
  assert.equal(m.marks.firstTokenForwarded, 503)
  assert.equal(m.uncertaintyMs, 3)
  assert.equal(proxy.log[0]?.['uncertainty_ms'], 3)
})

test('a loop that was busy before the turn adds to the uncertainty', { timeout: 10_000 }, async (t) => {
  const clock = new HeldClock()
  const idle = new HeldClock()
  const gateway = await startHeldGateway(t)
  const proxy = await startProxy(t, gateway.url, { clock, idle })
  const client = send(`${proxy.url}${path}`, request)
  const held = await gateway.next()
  clock.set(100)
  idle.set(100)
  held.head()
  await client.head
  // Of the 400 ms since, the loop waited for 394.
  clock.set(500)
  idle.set(494)
  held.write(say('first'))
  await client.seen('first')
  held.end(ending(1))
  await client.body
  const m = await proxy.measurement()
  assert.equal(m.marks.firstToken, 500)
  assert.equal(m.uncertaintyMs, 6)
  assert.equal(evaluate(m).figures['mark_uncertainty_seconds'], 0.006)
})
