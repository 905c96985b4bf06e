import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Identity, selfSigned } from '../helpers/certificates.ts'
import { sumIn } from '../helpers/exposition.ts'
import { eventually } from '../helpers/process-state.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import type { RawConnection, Script } from '../helpers/raw-gateway.ts'
import { within } from '../helpers/raw-http.ts'
import { assertLive, assertOutcomes, bothKinds, chatRequest, startReplay, wholeAnswer } from '../helpers/replay.ts'
import { seededRandom } from '../helpers/seeded-random.ts'

const answer = wholeAnswer('{}')

/** Which request of its own connection a request is, from 0. */
function perConnection(script: (nth: number, connection: RawConnection) => void | Promise<void>): Script {
  const served = new WeakMap<RawConnection, number>()
  return (_request, connection) => {
    const nth = served.get(connection) ?? 0
    served.set(connection, nth + 1)
    return script(nth, connection)
  }
}

const closing: readonly (readonly [string, readonly string[], (connection: RawConnection) => void])[] = [
  ['a: FIN 30 ms after each answer', [], (connection) => connection.fin()],
  ['a: closed 30 ms after each answer', [], (connection) => connection.socket.destroySoon()],
  ['d: "connection: close", and FIN late', ['connection: close'], (connection) => connection.fin()],
]

for (const [variant, lines, close] of closing) {
  test(`B46 ${variant}: 200 POSTs around that time all get their answer, none is sent twice`, {
    timeout: 60_000,
  }, async (t) => {
    const random = seededRandom(46)
    const replay = await startReplay(t, async (_request, connection) => {
      await connection.write(wholeAnswer('{}', 'application/json', '200 OK', ...lines))
      setTimeout(() => close(connection), 30)
    })
    const client = await openRawClient(t, replay.proxy.url)
    for (let n = 0; n < 200; n++) {
      const got = await client.ask(chatRequest([`x-n: ${n}`])).over()
      assert.equal(got.status, 200, `request ${n}: ${got.body}`)
      await pause(24 + random() * 12)
    }
    const numbers = replay.gateway.requests.map((request) => request.values('x-n')[0])
    assert.equal(new Set(numbers).size, 200)
    // What still reads after its FIN sees the request that came too late, and cannot answer it.
    const text = await replay.proxy.metrics()
    assert.ok(numbers.length <= 200 + sumIn(text, 'streamgauge_resends_total'))
    assert.equal(sumIn(text, 'streamgauge_requests_total', { outcome: 'ok' }), 200)
    t.diagnostic(`${sumIn(text, 'streamgauge_resends_total')} resends`)
    await assertLive(replay)
  })
}

interface Closing {
  readonly name: string
  readonly close: (connection: RawConnection) => void
}

const closings: readonly Closing[] = [
  { name: 'closed', close: (connection) => connection.socket.destroy() },
  { name: 'half-closed, and still reading', close: (connection) => connection.fin() },
]

/**
 * Gateway and proxy; once `stale` is called, the gateway's connections end right before the proxy writes its next request, in the same turn of
 * the event loop: the proxy cannot have seen it.
 */
async function startStale(t: TestContext, script: Script, { close }: Closing, tls?: Identity) {
  let armed = false
  const replay = await startReplay(t, script, {
    ...(tls && { gateway: { tls }, config: { gateways: [{ tls: { insecure: true } }] } }),
    // Read once a request, when its head is there.
    wallClock: () => {
      if (armed) for (const connection of replay.gateway.connections) close(connection)
      armed = false
      return 0
    },
  })
  const stale = (): void => {
    armed = true
  }
  return { replay, stale }
}

for (const closing of closings) {
  for (const { kind, request } of bothKinds) {
    for (const scheme of ['http', 'https']) {
      test(`B46 a: a request that meets a connection just ${closing.name} is sent once more, on a new one, and counted: ${kind}, ${scheme}`, async (t) => {
        const identity = scheme === 'https' ? selfSigned(t, 'IP:127.0.0.1') : undefined
        const { replay, stale } = await startStale(t, (_, connection) => connection.write(answer), closing, identity)
        const client = await openRawClient(t, replay.proxy.url)
        assert.equal((await client.ask(request()).over()).status, 200)
        stale()
        const got = await client.ask(request()).over()
        assert.deepEqual([got.status, got.body.toString()], [200, '{}'])
        const records = await assertOutcomes(replay.proxy, 'ok', 'ok')
        assert.deepEqual(
          records.map(({ resends }) => resends),
          [0, 1],
        )
        assert.equal(replay.gateway.connections.length, 2)
        if (kind === 'a generation') {
          assert.equal(sumIn(await replay.proxy.metrics(), 'streamgauge_resends_total'), 1)
          await eventually(
            () => replay.proxy.log.length,
            (n) => n === 2,
            'both logged',
          )
          assert.deepEqual(replay.proxy.log[1]?.['flags'], ['resent'])
        }
        await assertLive(replay)
      })
    }
  }

  test(`B46 a: a resend takes a new connection, however many old ones wait: ${closing.name}`, async (t) => {
    const old = 10
    const waiting: RawConnection[] = []
    let restarted = false
    const { replay, stale } = await startStale(
      t,
      async (_request, connection) => {
        if (restarted) await connection.write(answer)
        else waiting.push(connection)
      },
      closing,
    )
    const clients = await Promise.all(Array.from({ length: old }, () => openRawClient(t, replay.proxy.url)))
    const answers = clients.map((client) => client.ask(chatRequest()))
    await replay.gateway.request(old - 1)
    for (const connection of waiting) await connection.write(answer)
    for (const one of answers) assert.equal((await one.over()).status, 200)
    restarted = true
    stale()
    const again = clients.map((client) => client.ask(chatRequest()))
    for (const one of again) assert.equal((await one.over()).status, 200)
    const records = await assertOutcomes(replay.proxy, ...Array.from({ length: 2 * old }, () => 'ok' as const))
    assert.ok(records.every(({ resends }) => resends <= 1))
  })
}

test('B46 b: a reset after the request was read is an error, and nothing is sent twice', async (t) => {
  for (const { request } of bothKinds) {
    const replay = await startReplay(
      t,
      perConnection((nth, connection) => (nth === 0 ? connection.write(answer) : connection.reset())),
    )
    const client = await openRawClient(t, replay.proxy.url)
    assert.equal((await client.ask(request()).over()).status, 200)
    const got = await client.ask(request()).over()
    assert.equal(got.status, 502)
    assert.match(got.body.toString(), /"code":"reset"/)
    const [, record] = await assertOutcomes(replay.proxy, 'ok', 'gateway_error')
    assert.deepEqual([record?.error, record?.resends], ['reset', 0])
    assert.equal(replay.gateway.requests.length, 2)
    await assertLive(replay)
  }
})

const unsafe: readonly { name: string; script: Script; code: string }[] = [
  {
    name: 'an end that comes later than a round trip',
    script: perConnection(async (nth, connection) => {
      if (nth === 0) return connection.write(answer)
      await pause(500)
      connection.fin()
    }),
    code: 'closed',
  },
  {
    name: 'an end after the beginning of a head',
    script: perConnection(async (nth, connection) => {
      if (nth === 0) return connection.write(answer)
      await connection.write('HTTP/1.1 200')
      connection.fin()
    }),
    code: '(closed|malformed_answer)',
  },
]

for (const { name, script, code } of unsafe) {
  test(`B46 b: not sent twice: ${name}`, async (t) => {
    const replay = await startReplay(t, script)
    const client = await openRawClient(t, replay.proxy.url)
    assert.equal((await client.ask(chatRequest()).over()).status, 200)
    const got = await client.ask(chatRequest()).over()
    assert.equal(got.status, 502)
    assert.match(got.body.toString(), new RegExp(`"code":"${code}"`))
    await assertOutcomes(replay.proxy, 'ok', 'gateway_error')
    assert.equal(replay.gateway.requests.length, 2)
  })
}

test('B46 b: a new connection that ends is no stale one: one request', async (t) => {
  const replay = await startReplay(t, (_request, connection) => connection.fin())
  assert.equal((await (await replay.ask()).over()).status, 502)
  assert.equal(replay.gateway.requests.length, 1)
})

for (const closing of closings) {
  test(`B46 b: the second attempt is the last: ${closing.name}`, async (t) => {
    const { replay, stale } = await startStale(
      t,
      (_request, connection) => {
        if (replay.gateway.connections.length === 1) return connection.write(answer)
        return connection.fin()
      },
      closing,
    )
    const client = await openRawClient(t, replay.proxy.url)
    assert.equal((await client.ask(chatRequest()).over()).status, 200)
    stale()
    assert.equal((await client.ask(chatRequest()).over()).status, 502)
    const [, record] = await assertOutcomes(replay.proxy, 'ok', 'gateway_error')
    assert.equal(record?.resends, 1)
    assert.equal(replay.gateway.connections.length, 2)
  })

  test(`B46 b: a body that is passed on as it comes is not sent twice: ${closing.name}`, async (t) => {
    const { replay, stale } = await startStale(t, (_request, connection) => connection.write(answer), closing)
    const client = await openRawClient(t, replay.proxy.url)
    assert.equal((await client.ask(chatRequest()).over()).status, 200)
    stale()
    const upload = requestBytes({ method: 'POST', target: '/v1/files', body: 'x'.repeat(100) })
    const got = await client.ask(upload).over()
    assert.equal(got.status, 502)
    assert.match(got.body.toString(), /"code":"closed"/)
    await assertOutcomes(replay.proxy, 'ok', 'gateway_error')
    assert.equal(replay.gateway.connections.length, 1)
  })
}

test('B46 c: a connection that swallows what it is sent fails by the limit that is set', async (t) => {
  const replay = await startReplay(
    t,
    perConnection((nth, connection) => (nth === 0 ? connection.write(answer) : undefined)),
    { config: { gateways: [{ timeouts: { firstByte: 300 } }] } },
  )
  const client = await openRawClient(t, replay.proxy.url)
  assert.equal((await client.ask(chatRequest()).over()).status, 200)
  const got = await client.ask(chatRequest()).over()
  assert.equal(got.status, 504)
  const connection = await replay.gateway.connection(0)
  await within(connection.closed, 'the end of the connection')
  await assertOutcomes(replay.proxy, 'ok', 'gateway_timeout')
  await assertLive(replay)
})
