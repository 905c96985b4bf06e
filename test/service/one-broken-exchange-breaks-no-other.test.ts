import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumIn } from '../helpers/exposition.ts'
import { startProxy } from '../helpers/proxy-under-test.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { type RawConnection, startRawGateway } from '../helpers/raw-gateway.ts'
import { within } from '../helpers/raw-http.ts'
import { assertExact, chatRequest, ordinaryBody, ordinaryEvents, streamHead } from '../helpers/replay.ts'

const begun = ordinaryEvents.slice(0, 3).join('')
const rest = ordinaryEvents.slice(3).join('')

/**
 * What of ours may throw, and when: the clock is read at every step of an exchange, so that one that fails at its n-th reading takes the place
 * of whatever else could. An exchange beside it runs all the time.
 */
for (let n = 1; n <= 14; n++) {
  test(`the clock fails at reading ${n} of an exchange`, async (t) => {
    const held: RawConnection[] = []
    const gateway = await startRawGateway(t, async (request, connection) => {
      await connection.write(streamHead())
      await connection.chunk(begun)
      if (request.values('x-beside').length > 0) held.push(connection)
      else {
        await connection.chunk(rest)
        await connection.last()
      }
    })
    let left = Number.POSITIVE_INFINITY
    const clock = {
      now: () => {
        // Not that of the event-loop watch, which belongs to no exchange.
        const ofAnExchange = /src\/(proxy|stream|gateway)\//.test(new Error().stack ?? '')
        if (ofAnExchange && --left === 0) throw new Error('the clock failed')
        return performance.now()
      },
    }
    const proxy = await startProxy(t, gateway.url, { clock, config: { metrics: { defaultMetrics: false } } })
    const beside = (await openRawClient(t, proxy.url)).ask(chatRequest(['x-beside: 1']))
    await beside.seen(begun)
    const client = await openRawClient(t, proxy.url)
    left = n
    const got = await client.ask(chatRequest()).over()
    left = Number.POSITIVE_INFINITY
    // Whole, an error, or visibly cut: never a wrong end.
    if (got.complete && got.status === 200) assert.equal(got.body.toString(), ordinaryBody)
    else if (got.head !== undefined && got.complete) assert.equal(got.status, 500)
    await held[0]?.chunk(rest)
    await held[0]?.last()
    await assertExact(beside, { head: streamHead(), body: ordinaryBody })
    const after = (await openRawClient(t, proxy.url)).ask(chatRequest())
    await assertExact(after, { head: streamHead(), body: ordinaryBody })
    // Of one that has not even arrived nothing can be told.
    const counted = n === 1 ? 2 : 3
    await within(proxy.measurement(counted - 1), 'the last record')
    const text = await proxy.metrics()
    assert.equal(sumIn(text, 'streamgauge_requests_total'), counted)
    assert.equal(sumIn(text, 'streamgauge_streams_in_flight'), 0)
    for (const connection of gateway.connections) {
      if (!connection.socket.destroyed) connection.socket.end()
    }
  })
}

test('recorders that throw at every call change no byte and no count of ours', async (t) => {
  const gateway = await startRawGateway(t, async (_, connection) => {
    await connection.write(streamHead())
    await connection.chunk(ordinaryBody)
    await connection.last()
  })
  const fail = (): never => {
    throw new Error('a recorder failed')
  }
  const proxy = await startProxy(t, gateway.url, { recorders: [{ started: fail, firstToken: fail, ended: fail }] })
  for (const bytes of [chatRequest(), requestBytes(), chatRequest()]) {
    await assertExact((await openRawClient(t, proxy.url)).ask(bytes), { head: streamHead(), body: ordinaryBody })
  }
  await within(proxy.measurement(2), 'the third record')
  const text = await proxy.metrics()
  assert.equal(sumIn(text, 'streamgauge_requests_total', { outcome: 'ok' }), 3)
  assert.equal(sumIn(text, 'streamgauge_measurement_errors_total', { stage: 'observer' }), 3)
})

test('a log that cannot be written changes no byte', async (t) => {
  const gateway = await startRawGateway(t, async (_, connection) => {
    await connection.write(streamHead())
    await connection.chunk(ordinaryBody)
    await connection.last()
  })
  const log = {
    write: () => {
      throw new Error('no space left')
    },
  }
  const proxy = await startProxy(t, gateway.url, { log })
  await assertExact((await openRawClient(t, proxy.url)).ask(chatRequest()), { head: streamHead(), body: ordinaryBody })
  await within(proxy.measurement(0), 'the record')
  assert.equal(sumIn(await proxy.metrics(), 'streamgauge_requests_total', { outcome: 'ok' }), 1)
})
