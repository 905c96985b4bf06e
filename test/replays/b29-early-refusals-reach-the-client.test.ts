import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import type { RawConnection } from '../helpers/raw-gateway.ts'
import { chunk, lastChunk } from '../helpers/raw-http.ts'
import { assertLive, assertOutcomes, startReplay } from '../helpers/replay.ts'

const body = Buffer.alloc(20_000_000, 'abcdefgh')

const gateways: readonly { name: string; lines: string; after: (connection: RawConnection) => void }[] = [
  { name: 'reads on and keeps the connection', lines: '', after: () => {} },
  { name: 'says close and reads on', lines: 'connection: close\r\n', after: (connection) => connection.fin() },
  { name: 'says close and reads no more', lines: 'connection: close\r\n', after: ({ socket }) => void socket.pause() },
  {
    name: 'says close, ends its side and reads no more',
    lines: 'connection: close\r\n',
    after: (connection) => {
      connection.socket.pause()
      connection.fin()
    },
  },
  { name: 'reads no more', lines: '', after: ({ socket }) => void socket.pause() },
]

for (const { kind, target } of [
  { kind: 'a generation', target: '/v1/chat/completions' },
  { kind: 'passed through by length', target: '/v1/files' },
  { kind: 'passed through in chunks', target: '/v1/files' },
]) {
  for (const { name, lines, after } of gateways) {
    test(`B29 c: a gateway refuses at the head, then ${name}; ${kind}: its answer reaches a client still sending`, async (t) => {
      const replay = await startReplay(
        t,
        async (_request, connection) => {
          await connection.write(`HTTP/1.1 413 Payload Too Large\r\n${lines}content-length: 3\r\n\r\nbig`)
          after(connection)
        },
        { gateway: { at: 'head' } },
      )
      const client = await openRawClient(t, replay.proxy.url)
      const answer = client.expect('POST')
      const chunks = kind.endsWith('chunks')
      const framing = chunks ? 'transfer-encoding: chunked' : `content-length: ${body.length}`
      void client.write(requestBytes({ method: 'POST', target, lines: [framing] }))
      for (let at = 0; at < body.length; at += 65_536) {
        const piece = body.subarray(at, at + 65_536)
        void client.write(chunks ? chunk(piece) : piece)
      }
      if (chunks) void client.write(lastChunk)
      const got = await answer.over()
      assert.equal(got.complete, true)
      assert.deepEqual([got.status, got.body.toString()], [413, 'big'])
      const [record] = await assertOutcomes(replay.proxy, 'http_4xx')
      assert.equal(record?.resends, 0)
      // The rest of the body is read off: the connection goes on.
      assert.equal((await client.ask(requestBytes({ target: '//' })).over()).status, 400)
      await assertLive(replay)
    })
  }
}

for (const { kind, target } of [
  { kind: 'a generation', target: '/v1/chat/completions' },
  { kind: 'passed through', target: '/v1/files' },
]) {
  test(`B29 c: a gateway answers and resets while the body is coming, ${kind}: the answer or an error, and never both`, async (t) => {
    const replay = await startReplay(
      t,
      async (_request, connection) => {
        await connection.write('HTTP/1.1 413 Payload Too Large\r\nconnection: close\r\ncontent-length: 3\r\n\r\nbig')
        connection.reset()
      },
      { gateway: { at: 'head' } },
    )
    const client = await openRawClient(t, replay.proxy.url)
    const answer = client.ask(requestBytes({ target, body }))
    const got = await answer.over()
    assert.ok(got.status === 413 || got.status === 502, String(got.status))
    await assertOutcomes(replay.proxy, got.status === 413 ? 'http_4xx' : 'gateway_error')
    await assertLive(replay)
  })
}

test('B29 c: a stream may begin while the request is still coming, and both go on', async (t) => {
  const replay = await startReplay(
    t,
    async (request, connection) => {
      await connection.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n')
      await connection.chunk('data: one\n\n')
      while (!request.complete) await new Promise((resolve) => connection.socket.once('data', resolve))
      await connection.chunk('data: two\n\n')
      await connection.last()
    },
    { gateway: { at: 'head' } },
  )
  const client = await openRawClient(t, replay.proxy.url)
  const head = requestBytes({ method: 'POST', target: '/v1/files', lines: ['transfer-encoding: chunked'] })
  const answer = client.ask(Buffer.concat([head, chunk('first')]))
  await answer.seen('data: one\n\n')
  await client.write(Buffer.concat([chunk('second'), Buffer.from(lastChunk)]))
  const got = await answer.over()
  assert.deepEqual([got.complete, got.body.toString()], [true, 'data: one\n\ndata: two\n\n'])
  assert.equal((await replay.gateway.request(0)).body.toString(), 'firstsecond')
  await assertOutcomes(replay.proxy, 'ok')
})
