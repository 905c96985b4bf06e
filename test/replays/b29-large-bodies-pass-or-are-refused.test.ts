import assert from 'node:assert/strict'
import { test } from 'node:test'
import { residentBytesOf } from '../helpers/process-state.ts'
import { openRawClient, type RawClient, requestBytes } from '../helpers/raw-client.ts'
import { startRawGateway } from '../helpers/raw-gateway.ts'
import { chunk, lastChunk } from '../helpers/raw-http.ts'
import { assertExactRequest, assertLive, assertOutcomes, startReplay } from '../helpers/replay.ts'
import { serveProcess } from '../helpers/served-process.ts'

const answer = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}'

/** A request with an image of so many bytes. */
function withImage(megabytes: number, modelLast: boolean): Buffer {
  const image = `"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,${'iVBOR'.repeat((megabytes * 1e6) / 5)}"}}]}]`
  return Buffer.from(modelLast ? `{${image},"model":"a/b"}` : `{"model":"a/b",${image}}`)
}

/** Sends a body in pieces and waits for none of them: a client that is slow to look. */
function pour(client: RawClient, head: Buffer, body: Buffer, chunks: boolean): void {
  void client.write(head)
  for (let at = 0; at < body.length; at += 262_144) {
    const piece = body.subarray(at, at + 262_144)
    void client.write(chunks ? chunk(piece) : piece)
  }
  if (chunks) void client.write(lastChunk)
}

const targets = [
  { kind: 'a generation', target: '/v1/chat/completions' },
  { kind: 'passed through', target: '/v1/embeddings' },
]

for (const { kind, target } of targets) {
  for (const megabytes of [1.5, 20, 60]) {
    for (const framing of ['length', 'chunks']) {
      test(`B29 ${megabytes} MB by ${framing}, ${kind}`, async (t) => {
        const replay = await startReplay(t, (_request, connection) => connection.write(answer))
        const client = await openRawClient(t, replay.proxy.url)
        const body = withImage(megabytes, megabytes === 60)
        const lines = [
          'content-type: application/json',
          framing === 'length' ? `content-length: ${body.length}` : 'transfer-encoding: chunked',
        ]
        const head = requestBytes({ method: 'POST', target, lines })
        const got = client.expect('POST')
        pour(client, head, body, framing === 'chunks')
        assert.equal((await got.over()).status, 200)
        assertExactRequest(await replay.gateway.request(0), { bytes: head, body })
        const [record] = await assertOutcomes(replay.proxy, 'ok')
        assert.equal(record?.identity.model, kind === 'a generation' ? 'a/b' : '')
      })
    }
  }
}

test('B29 bodies of 60 MB, one after another: memory grows by a few bodies at most, however many there were', async (t) => {
  const gateway = await startRawGateway(t, (_request, connection) => connection.write(answer))
  const served = await serveProcess(t, gateway.url)
  const before = residentBytesOf(served.child.pid)
  const body = withImage(60, false)
  const lines = ['content-type: application/json', `content-length: ${body.length}`]
  const head = requestBytes({ method: 'POST', target: '/v1/chat/completions', lines })
  const bodies = 10
  for (let n = 0; n < bodies; n++) {
    const client = await openRawClient(t, served.proxyUrl)
    const got = client.expect('POST')
    pour(client, head, body, false)
    assert.equal((await got.over()).status, 200)
    client.socket.destroy()
  }
  const grown = (residentBytesOf(served.child.pid) - before) / body.length
  t.diagnostic(`grown by ${grown.toFixed(1)} bodies after ${bodies}`)
  assert.ok(grown < 6, `grown by ${grown} bodies`)
})

for (const framing of ['length', 'chunks']) {
  test(`B29 b: 11 MB by ${framing} where 10 are allowed: a 413 that reaches a client still sending`, async (t) => {
    const replay = await startReplay(t, () => {}, { config: { proxy: { maxBodyBytes: 10 * 2 ** 20 } } })
    const client = await openRawClient(t, replay.proxy.url)
    const body = withImage(11, false)
    const lines = [framing === 'length' ? `content-length: ${body.length}` : 'transfer-encoding: chunked']
    const answered = client.expect('POST')
    pour(client, requestBytes({ method: 'POST', target: '/v1/chat/completions', lines }), body, framing === 'chunks')
    const got = await answered.over()
    assert.equal(got.status, 413)
    assert.equal(got.complete, true)
    assert.match(got.body.toString(), /"code":"body_too_large"/)
    assert.match(got.body.toString(), /proxy\.maxBodyBytes/)
    await assertOutcomes(replay.proxy, 'rejected')
    assert.equal(replay.gateway.connections.length, 0)
    // The rest of the body is read off, so that the connection serves the next request.
    assert.equal((await client.ask(requestBytes({ target: '//' })).over()).status, 400)
    await assertLive(replay)
  })
}

test('B29 b: a body at the limit passes, one byte more does not', async (t) => {
  const replay = await startReplay(t, (_request, connection) => connection.write(answer), {
    config: { proxy: { maxBodyBytes: 1024 } },
  })
  for (const { length, status } of [
    { length: 1024, status: 200 },
    { length: 1025, status: 413 },
  ]) {
    const bytes = requestBytes({ target: '/v1/chat/completions', body: 'x'.repeat(length) })
    assert.equal((await (await replay.ask(bytes)).over()).status, status)
  }
})

test('B29 b: what is passed through has no limit', async (t) => {
  const replay = await startReplay(t, (_request, connection) => connection.write(answer), {
    config: { proxy: { maxBodyBytes: 1024 } },
  })
  const bytes = requestBytes({ target: '/v1/files', body: 'x'.repeat(100_000) })
  assert.equal((await (await replay.ask(bytes)).over()).status, 200)
  assert.equal(replay.gateway.requests[0]?.body.length, 100_000)
})
