import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sumIn } from '../helpers/exposition.ts'
import {
  assertExact,
  assertLive,
  assertOutcomes,
  ordinaryBody,
  ordinaryEvents,
  startReplay,
  streamHead,
} from '../helpers/replay.ts'

const begun = ordinaryEvents.slice(0, 2).join('')
const rest = ordinaryEvents.slice(2).join('')

test('B01 a: a pause with the limits as they come: EXACT, nothing is added, and the gap is told', async (t) => {
  const pauseMs = 1200
  const replay = await startReplay(t, async (_request, connection) => {
    await connection.write(streamHead())
    await connection.chunk(begun)
    await answer.seen(begun)
    const before = answer.message.bytes.length
    await pause(pauseMs)
    assert.equal(answer.message.bytes.length, before, 'bytes came during the pause')
    await connection.chunk(rest)
    await connection.last()
  })
  const answer = await replay.ask()
  await assertExact(answer, { head: streamHead(), body: ordinaryBody })
  const [record] = await assertOutcomes(replay.proxy, 'ok')
  const { firstToken, lastToken, dispatched } = record?.marks ?? {}
  assert.ok((firstToken ?? 0) - (dispatched ?? 0) < (lastToken ?? 0) - (firstToken ?? 0), 'the pause is in no TTFT')
  const text = await replay.proxy.metrics()
  assert.ok(sumIn(text, 'streamgauge_inter_chunk_seconds_sum') >= pauseMs / 1000 - 0.05)
  assert.ok(sumIn(text, 'streamgauge_longest_stall_seconds_sum') >= 0)
  assert.equal(sumIn(text, 'streamgauge_stalls_total'), 1)
  assert.deepEqual(replay.gateway.faults, [])
})

test('B01 b: silence beyond the idle limit: cut visibly, gateway_timeout, and the log names the limit with its value', async (t) => {
  const config = { gateways: [{ timeouts: { idle: 400 } }] }
  const replay = await startReplay(
    t,
    async (_request, connection) => {
      await connection.write(streamHead())
      await connection.chunk(begun)
    },
    { config },
  )
  const answer = await replay.ask()
  const got = await answer.over()
  assert.deepEqual([got.complete, got.body.toString()], [false, begun])
  const connection = await replay.gateway.connection(0)
  await connection.closed
  const [record] = await assertOutcomes(replay.proxy, 'gateway_timeout')
  assert.equal(record?.error, 'idle_timeout (400ms)')
  assert.equal(replay.proxy.log[0]?.['error'], 'idle_timeout (400ms)')
  await assertLive(replay)
})

test('B01 c: every sign of life starts the idle limit anew: bytes, comments and interim heads', async (t) => {
  const config = { gateways: [{ timeouts: { idle: 600 } }] }
  const replay = await startReplay(
    t,
    async (_request, connection) => {
      for (let n = 0; n < 3; n++) {
        await pause(300)
        await connection.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n')
      }
      await connection.write(streamHead())
      for (let n = 0; n < 3; n++) {
        await pause(300)
        await connection.chunk(': wait\n\n')
      }
      await connection.chunk(ordinaryBody)
      await connection.last()
    },
    { config },
  )
  await assertExact(await replay.ask(), { head: streamHead(), body: `${': wait\n\n'.repeat(3)}${ordinaryBody}` })
  await assertOutcomes(replay.proxy, 'ok')
})
