import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { within } from '../helpers/raw-http.ts'
import { assertLive, assertOutcomes, chatRequest, startReplay, wholeAnswer } from '../helpers/replay.ts'

const answerAll = {
  script: (_: unknown, connection: { write(bytes: Buffer): Promise<void> }) => connection.write(wholeAnswer('{}')),
}

test('B04 a: a kept connection is told how long it is kept, and serves again', async (t) => {
  const replay = await startReplay(t, answerAll.script)
  const client = await openRawClient(t, replay.proxy.url)
  const first = await client.ask(requestBytes()).over()
  assert.deepEqual(first.values('keep-alive'), ['timeout=75'])
  await pause(300)
  assert.equal((await client.ask(requestBytes()).over()).status, 200)
  await assertOutcomes(replay.proxy, 'ok', 'ok')
})

test('B04 a: a kept connection that is not used ends after proxy.keepAlive', async (t) => {
  const replay = await startReplay(t, answerAll.script, { config: { proxy: { keepAlive: 200 } } })
  const client = await openRawClient(t, replay.proxy.url)
  await client.ask(requestBytes()).over()
  await within(client.closed, 'the end of an idle connection')
})

const uploads = [
  { kind: 'a generation', bytes: chatRequest() },
  { kind: 'passed through', bytes: requestBytes({ method: 'POST', target: '/v1/files', body: 'x'.repeat(200) }) },
]

for (const { kind, bytes } of uploads) {
  test(`B04 b: a slow upload is not cut while something comes, ${kind}`, async (t) => {
    const replay = await startReplay(t, answerAll.script, { config: { proxy: { clientStall: 1500 } } })
    const client = await openRawClient(t, replay.proxy.url)
    const answer = client.expect('POST')
    const head = bytes.indexOf('\r\n\r\n') + 4
    await client.write(bytes.subarray(0, head))
    for (let at = head; at < bytes.length; at += 40) {
      await pause(400)
      await client.write(bytes.subarray(at, at + 40))
    }
    assert.equal((await answer.over()).status, 200)
    const [record] = await assertOutcomes(replay.proxy, 'ok')
    if (kind === 'a generation') assert.ok((record?.marks.bodyReceived ?? 0) - (record?.marks.received ?? 0) > 300)
  })

  test(`B04 b: an upload that stops is answered 408 after proxy.clientStall and counted, ${kind}`, async (t) => {
    const replay = await startReplay(t, answerAll.script, { config: { proxy: { clientStall: 400 } } })
    const client = await openRawClient(t, replay.proxy.url)
    const answer = client.ask(bytes.subarray(0, -20), 'POST')
    const got = await answer.over()
    assert.equal(got.status, 408)
    assert.match(got.body.toString(), /"code":"upload_stall"/)
    const [record] = await assertOutcomes(replay.proxy, 'client_abort')
    assert.deepEqual([record?.status, record?.error], [408, 'upload_stall (400ms)'])
    assert.equal(replay.gateway.requests.length, 0)
    await assertLive(replay)
  })
}

test("B04 b: an upload that the gateway takes slowly is not the client's fault", async (t) => {
  const replay = await startReplay(
    t,
    async (_request, connection) => {
      connection.socket.pause()
      await pause(1000)
      connection.socket.resume()
    },
    { config: { proxy: { clientStall: 300 } }, gateway: { at: 'head' } },
  )
  const body = Buffer.alloc(24 * 2 ** 20, 'x')
  const client = await openRawClient(t, replay.proxy.url)
  const answer = client.ask(requestBytes({ method: 'POST', target: '/v1/files', body }))
  const request = await replay.gateway.request(0)
  assert.equal(request.body.length, body.length)
  const connection = await replay.gateway.connection(0)
  await connection.write(wholeAnswer('{}'))
  assert.equal((await answer.over()).status, 200)
})

test('B04 d: a connection on which nothing was ever sent is no request', async (t) => {
  const replay = await startReplay(t, answerAll.script)
  const client = await openRawClient(t, replay.proxy.url)
  client.fin()
  await client.closed
  const other = await openRawClient(t, replay.proxy.url)
  other.reset()
  await assertOutcomes(replay.proxy)
})
