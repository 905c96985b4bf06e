import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { configFor } from '../helpers/proxy-under-test.ts'
import { requestBytes } from '../helpers/raw-client.ts'
import { within } from '../helpers/raw-http.ts'
import {
  assertExact,
  assertLive,
  assertOutcomes,
  bothKinds,
  chatRequest,
  ordinaryBody,
  startReplay,
  streamHead,
  wholeAnswer,
} from '../helpers/replay.ts'

const whole = JSON.stringify({
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
})
const notStreamed = chatRequest([], JSON.stringify({ model: 'm', messages: [] }))

test('B02 a: a slow answer below the limit is EXACT, its duration is told, and it has no TTFT', async (t) => {
  const config = { gateways: [{ timeouts: { firstByte: 8000 } }] }
  const replay = await startReplay(
    t,
    async (_request, connection) => {
      await pause(600)
      await connection.write(wholeAnswer(whole))
    },
    { config },
  )
  await assertExact(await replay.ask(notStreamed), { head: wholeAnswer(whole).subarray(0, -whole.length), body: whole })
  const [record] = await assertOutcomes(replay.proxy, 'ok')
  assert.ok((record?.marks.ended ?? 0) - (record?.marks.dispatched ?? 0) >= 590)
  assert.equal(record?.marks.firstToken, undefined)
  assert.equal(record?.tokens?.output, 1)
})

test('B02 the limits as they come wait for longer than 300 s', () => {
  const { timeouts } = configFor('http://gateway.test/v1').gateways[0] as { timeouts: Record<string, number> }
  assert.deepEqual(timeouts, { connect: 10_000, firstByte: 0, idle: 1_800_000, total: 0 })
})

const limits = [
  { limit: 'firstByte', code: 'first_byte_timeout' },
  { limit: 'idle', code: 'idle_timeout' },
  { limit: 'total', code: 'total_timeout' },
] as const

for (const { limit, code } of limits) {
  for (const { kind, request } of bothKinds) {
    test(`B02 b: silence beyond timeouts.${limit}, ${kind}: 504 that names it with its value; the gateway is let go`, async (t) => {
      const config = { gateways: [{ timeouts: { [limit]: 300 } }] }
      const replay = await startReplay(t, () => {}, { config })
      const got = await (await replay.ask(request())).over()
      assert.equal(got.status, 504)
      const { error } = JSON.parse(got.body.toString()) as { error: { code: string; message: string; type: string } }
      assert.deepEqual([error.code, error.type], [code, 'gateway_error'])
      assert.match(error.message, new RegExp(`timeouts\\.${limit}.*\\(300ms\\)`))
      const connection = await replay.gateway.connection(0)
      await within(connection.closed, 'the end of the connection to the gateway')
      const [record] = await assertOutcomes(replay.proxy, 'gateway_timeout')
      assert.equal(record?.error, `${code} (300ms)`)
      await assertLive(replay)
    })
  }
}

test('B02 c: the total limit cuts a running stream visibly, however alive it is', async (t) => {
  const config = { gateways: [{ timeouts: { total: 500 } }] }
  const replay = await startReplay(
    t,
    async (_request, connection) => {
      await connection.write(streamHead())
      while (!connection.socket.destroyed) {
        await connection.chunk(': alive\n\n')
        await pause(50)
      }
    },
    { config },
  )
  const got = await (await replay.ask()).over()
  assert.deepEqual([got.status, got.complete], [200, false])
  const [record] = await assertOutcomes(replay.proxy, 'gateway_timeout')
  assert.equal(record?.error, 'total_timeout (500ms)')
})

test('B02 d: firstByte ends with the first byte of the answer; interim heads are none', async (t) => {
  const config = { gateways: [{ timeouts: { firstByte: 400 } }] }
  const replay = await startReplay(
    t,
    async (_request, connection, n) => {
      if (n === 0) {
        await connection.write(streamHead())
        await pause(800)
        await connection.chunk(ordinaryBody)
        await connection.last()
      } else await connection.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n')
    },
    { config },
  )
  await assertExact(await replay.ask(), { head: streamHead(), body: ordinaryBody })
  assert.equal((await (await replay.ask()).over()).status, 504)
  await assertOutcomes(replay.proxy, 'ok', 'gateway_timeout')
})

test('B02 e: a slow upload is no silence of the gateway', async (t) => {
  const config = { gateways: [{ timeouts: { firstByte: 400 } }] }
  const replay = await startReplay(t, (_request, connection) => connection.write(wholeAnswer('{}')), { config })
  const bytes = requestBytes({ method: 'POST', target: '/v1/files', body: 'x'.repeat(100) })
  const answer = await replay.ask(bytes.subarray(0, -1))
  await pause(900)
  await replay.gateway.connection(0)
  assert.equal(answer.message.head, undefined)
})
