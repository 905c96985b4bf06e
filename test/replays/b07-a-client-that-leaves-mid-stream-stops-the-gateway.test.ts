import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumIn } from '../helpers/exposition.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import type { Script } from '../helpers/raw-gateway.ts'
import { within } from '../helpers/raw-http.ts'
import {
  assertLive,
  assertOutcomes,
  bothKinds,
  chatRequest,
  contentEvents,
  event,
  ordinaryBody,
  ordinaryEvents,
  startReplay,
  streamHead,
} from '../helpers/replay.ts'

const begun = ordinaryEvents.slice(0, 4).join('')
const ways = ['fin', 'reset'] as const

/** Events until the connection is gone. */
const endless: Script = async (_request, connection) => {
  await connection.write(streamHead())
  await connection.chunk(begun)
  while (!connection.socket.destroyed) {
    await connection.chunk(contentEvents[0] as string)
    await new Promise(setImmediate)
  }
}

const silent: Script = async (_request, connection) => {
  await connection.write(streamHead())
  await connection.chunk(begun)
}

/** More than all buffers on the way take. */
const flood: Script = async (_request, connection) => {
  await connection.write(streamHead())
  await connection.chunk(begun)
  const much = event({ choices: [{ index: 0, delta: { content: 'x'.repeat(60_000) } }] })
  while (!connection.socket.destroyed) await Promise.race([connection.chunk(much), connection.closed])
}

for (const how of ways) {
  for (const [variant, script] of [
    ['a: after three content events', endless],
    ['b: while the gateway is silent', silent],
  ] as const) {
    for (const { kind, request } of bothKinds) {
      test(`B07 ${variant}, by ${how}, ${kind}`, async (t) => {
        const replay = await startReplay(t, script)
        const client = await openRawClient(t, replay.proxy.url)
        const answer = client.ask(request())
        await answer.seen(begun)
        client[how]()
        const connection = await replay.gateway.connection(0)
        await within(connection.closed, 'the end of the connection to the gateway')
        const [record] = await assertOutcomes(replay.proxy, 'client_abort')
        assert.equal(record?.error, 'left_mid_answer')
        if (kind === 'a generation') {
          assert.notEqual(record?.marks.firstToken, undefined)
          assert.ok((record?.output.all.events ?? 0) >= 3)
          const text = await replay.proxy.metrics()
          assert.equal(sumIn(text, 'streamgauge_time_to_first_token_seconds_count'), 1)
          assert.equal(sumIn(text, 'streamgauge_output_tokens_per_second_count'), 0)
          assert.equal(sumIn(text, 'streamgauge_time_per_output_token_seconds_count'), 0)
        }
        await assertLive(replay)
      })
    }
  }

  test(`B07 c: a client that does not read leaves by ${how}`, async (t) => {
    const replay = await startReplay(t, flood)
    const client = await openRawClient(t, replay.proxy.url)
    const answer = client.ask(chatRequest())
    await answer.seen(begun)
    client.socket.pause()
    const connection = await replay.gateway.connection(0)
    // The gateway is held up once its socket takes nothing more for a while.
    let before = -1
    while (connection.socket.bytesWritten !== before || connection.socket.writableLength === 0) {
      before = connection.socket.bytesWritten
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    if (how === 'fin') client.socket.end()
    else client.reset()
    await within(connection.closed, 'the end of the connection to the gateway')
    await assertOutcomes(replay.proxy, 'client_abort')
    await assertLive(replay)
  })

  test(`B07 d: a client that leaves by ${how} after the end event has had everything`, async (t) => {
    const replay = await startReplay(t, async (_request, connection) => {
      await connection.write(streamHead())
      await connection.chunk(ordinaryBody)
    })
    const client = await openRawClient(t, replay.proxy.url)
    const answer = client.ask(chatRequest())
    await answer.seen(ordinaryBody)
    client[how]()
    const connection = await replay.gateway.connection(0)
    await within(connection.closed, 'the end of the connection to the gateway')
    const [record] = await assertOutcomes(replay.proxy, 'ok')
    assert.equal(record?.tokens?.output, 5)
  })
}

test('B07 e: a client that reads nothing for proxy.clientStall is cut off and counted as the one who left', async (t) => {
  const replay = await startReplay(t, flood, { config: { proxy: { clientStall: 400 } } })
  const client = await openRawClient(t, replay.proxy.url)
  const answer = client.ask(chatRequest())
  await answer.seen(begun)
  client.socket.pause()
  const connection = await replay.gateway.connection(0)
  await within(connection.closed, 'the end of the connection to the gateway')
  const [record] = await assertOutcomes(replay.proxy, 'client_abort')
  assert.equal(record?.error, 'client_stall (400ms)')
  client.socket.resume()
  assert.equal((await answer.over()).complete, false)
  await assertLive(replay)
})

test('B07 f: a client that does not read the end of a whole answer is cut off after proxy.clientStall, too', async (t) => {
  const body = Buffer.alloc(12 * 2 ** 20, 'x')
  const replay = await startReplay(
    t,
    async (_request, connection) => {
      await connection.write(
        Buffer.concat([
          streamHead(),
          Buffer.from(ordinaryBody.length.toString(16)),
          Buffer.from(`\r\n${ordinaryBody}\r\n`),
        ]),
      )
      // As much as fits into the buffers beyond the proxy, and a little more: the gateway's end comes while the client has not read it.
      await Promise.race([connection.chunk(body), connection.closed])
      await connection.last()
    },
    { config: { proxy: { clientStall: 400 } } },
  )
  const client = await openRawClient(t, replay.proxy.url)
  const answer = client.ask(requestBytes())
  await answer.head()
  client.socket.pause()
  await within(replay.proxy.measurement(0), 'the record')
  client.socket.resume()
  await within(client.closed, 'the end of the connection')
  assert.equal(answer.message.complete, false)
})
