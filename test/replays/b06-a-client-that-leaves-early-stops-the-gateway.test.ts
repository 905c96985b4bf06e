import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumIn } from '../helpers/exposition.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { within } from '../helpers/raw-http.ts'
import { assertLive, assertOutcomes, bothKinds, chatRequest, startReplay } from '../helpers/replay.ts'

for (const { kind, request } of bothKinds) {
  for (const how of ['fin', 'reset'] as const) {
    test(`B06 a client leaves before the head by ${how}, ${kind}: the gateway's connection ends`, async (t) => {
      const replay = await startReplay(t, () => {})
      const client = await openRawClient(t, replay.proxy.url)
      client.ask(request())
      await replay.gateway.request(0)
      client[how]()
      const connection = await replay.gateway.connection(0)
      await within(connection.closed, 'the end of the connection to the gateway')
      const [record] = await assertOutcomes(replay.proxy, 'client_abort')
      assert.equal(record?.error, 'left_before_headers')
      assert.deepEqual([record?.status, record?.marks.headers], [undefined, undefined])
      const text = await replay.proxy.metrics()
      assert.equal(sumIn(text, 'streamgauge_time_to_first_token_seconds_count'), 0)
      assert.equal(sumIn(text, 'streamgauge_output_tokens_per_second_count'), 0)
      assert.equal(sumIn(text, 'streamgauge_abandoned_wait_seconds_count'), kind === 'a generation' ? 1 : 0)
      assert.equal(replay.proxy.log.length, 1, 'one line, and no warning beside it')
      await assertLive(replay)
    })
  }
}

test('B06 a client leaves while its request is still coming', async (t) => {
  const replay = await startReplay(t, () => {}, { gateway: { at: 'head' } })
  const partial = [
    chatRequest().subarray(0, -10),
    requestBytes({ method: 'POST', target: '/v1/files', body: 'x' }).subarray(0, -1),
  ]
  for (const how of ['fin', 'reset'] as const) {
    for (const bytes of partial) {
      const client = await openRawClient(t, replay.proxy.url)
      client.ask(bytes)
      // The head has been read once a later request is answered; nothing else shows it from outside.
      const seen = replay.gateway.connections.length
      if (bytes === partial[1]) await replay.gateway.connection(seen)
      client[how]()
      await client.closed
    }
  }
  const records = await assertOutcomes(replay.proxy, 'client_abort', 'client_abort', 'client_abort', 'client_abort')
  for (const record of records) assert.match(record.error ?? '', /^left_before_(body|headers)$/)
  for (const connection of replay.gateway.connections) await within(connection.closed, 'the end of a connection')
})

test('B06 a thousand such requests leave no connection to the gateway and nothing in flight', async (t) => {
  const replay = await startReplay(t, () => {})
  const rounds = 20
  const atOnce = 50
  for (let round = 0; round < rounds; round++) {
    const clients = await Promise.all(Array.from({ length: atOnce }, () => openRawClient(t, replay.proxy.url)))
    for (const client of clients) client.ask(chatRequest())
    await replay.gateway.request((round + 1) * atOnce - 1)
    for (const [n, client] of clients.entries()) n % 2 === 0 ? client.fin() : client.reset()
  }
  await within(replay.proxy.measurement(rounds * atOnce - 1), 'the last record')
  for (const connection of replay.gateway.connections) await within(connection.closed, 'the end of a connection')
  const text = await replay.proxy.metrics()
  assert.equal(sumIn(text, 'streamgauge_requests_total', { outcome: 'client_abort' }), rounds * atOnce)
  assert.equal(sumIn(text, 'streamgauge_requests_total'), rounds * atOnce)
  assert.equal(sumIn(text, 'streamgauge_streams_in_flight'), 0)
  await assertLive(replay)
})
