import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumIn } from '../helpers/exposition.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import type { RawConnection } from '../helpers/raw-gateway.ts'
import {
  assertExact,
  assertLive,
  assertOutcomes,
  chatRequest,
  ordinaryBody,
  ordinaryEvents,
  startReplay,
  streamHead,
  wholeAnswer,
} from '../helpers/replay.ts'

const streams = 300
const begun = ordinaryEvents.slice(0, 3).join('')
const rest = ordinaryEvents.slice(3).join('')

test('B47 300 streams at once each have a connection, and a quick request beside them does not wait', {
  timeout: 60_000,
}, async (t) => {
  const held: RawConnection[] = []
  const replay = await startReplay(t, async (request, connection) => {
    if (request.head?.startLine.startsWith('GET')) return connection.write(wholeAnswer('{}'))
    held.push(connection)
    await connection.write(streamHead())
    await connection.chunk(begun)
  })
  const { gateway, proxy } = replay
  const clients = []
  for (let n = 0; n < streams; n += 50) {
    clients.push(...(await Promise.all(Array.from({ length: 50 }, () => openRawClient(t, proxy.url)))))
  }
  const answers = clients.map((client) => client.ask(chatRequest()))
  // None has ended, and all have their first bytes.
  for (const answer of answers) await answer.seen(begun)
  assert.equal(held.length, streams)
  assert.equal((await (await replay.ask(requestBytes())).over()).status, 200)
  const running = await proxy.metrics()
  assert.equal(sumIn(running, 'streamgauge_streams_in_flight'), streams)
  assert.equal(sumIn(running, 'streamgauge_time_to_first_token_seconds_count'), streams)
  assert.equal(new Set(held).size, streams, 'nothing is pipelined')

  for (const connection of held) {
    await connection.chunk(rest)
    await connection.last()
  }
  for (const answer of answers) await assertExact(answer, { head: streamHead(), body: ordinaryBody })
  await proxy.measurement(streams)
  assert.equal(sumIn(await proxy.metrics(), 'streamgauge_connection_wait_seconds_count'), streams + 1)

  // The connections serve again: no new pool a request.
  const before = gateway.connections.length
  assert.ok(before <= streams + 1)
  for (let n = 0; n < 20; n++) assert.equal((await (await replay.ask(requestBytes())).over()).status, 200)
  assert.equal(gateway.connections.length, before)
})

test('B47 beyond maxStreams: 503 with Retry-After, counted as rejected; the others are not touched', async (t) => {
  const replay = await startReplay(
    t,
    async (_request, connection) => {
      await connection.write(streamHead())
      await connection.chunk(begun)
    },
    { config: { proxy: { maxStreams: 2 } } },
  )
  const { gateway, proxy } = replay
  const running = [await replay.ask(), await replay.ask()]
  for (const answer of running) await answer.seen(begun)
  for (const bytes of [chatRequest(), requestBytes()]) {
    const client = await openRawClient(t, proxy.url)
    const got = await client.ask(bytes).over()
    assert.deepEqual([got.status, got.values('retry-after')], [503, ['1']])
    assert.match(got.body.toString(), /"code":"overloaded"/)
  }
  assert.equal(gateway.requests.length, 2)
  for (let n = 0; n < 2; n++) {
    const connection = await gateway.connection(n)
    await connection.chunk(rest)
    await connection.last()
    await assertExact(running[n] as (typeof running)[0], { head: streamHead(), body: ordinaryBody })
  }
  const records = await assertOutcomes(proxy, 'rejected', 'rejected', 'ok', 'ok')
  assert.deepEqual([records[0]?.status, records[0]?.error], [503, 'overloaded'])
  // Room again.
  await assertLive(replay)
})

test('B47 a request whose body is still coming holds a place, too', async (t) => {
  const replay = await startReplay(t, (_request, connection) => connection.write(wholeAnswer('{}')), {
    config: { proxy: { maxStreams: 1 } },
  })
  const slow = await openRawClient(t, replay.proxy.url)
  const answer = slow.ask(chatRequest().subarray(0, -1), 'POST')
  let status = 200
  while (status === 200) status = (await (await replay.ask(requestBytes())).over()).status
  assert.equal(status, 503)
  await slow.write(chatRequest().subarray(-1))
  assert.equal((await answer.over()).status, 200)
})
