import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { headOf } from '../helpers/raw-http.ts'
import { assertLive, assertOutcomes, chatBody, startReplay } from '../helpers/replay.ts'

const cases: readonly { name: string; method?: string; status: string; lines: readonly string[]; length?: string }[] = [
  { name: '204', status: '204 No Content', lines: [] },
  { name: '204 with length 0', status: '204 No Content', lines: ['content-length: 0'] },
  {
    name: '304 with a length and a tag',
    status: '304 Not Modified',
    lines: ['content-length: 5', 'etag: "a"'],
    length: '5',
  },
  { name: '304 without a length', status: '304 Not Modified', lines: ['etag: "a"'] },
  { name: 'HEAD with a length', method: 'HEAD', status: '200 OK', lines: ['content-length: 1234'], length: '1234' },
  { name: 'HEAD with length 0', method: 'HEAD', status: '200 OK', lines: ['content-length: 0'], length: '0' },
  { name: 'HEAD, chunked', method: 'HEAD', status: '200 OK', lines: ['transfer-encoding: chunked'] },
  { name: 'HEAD without framing', method: 'HEAD', status: '200 OK', lines: ['content-type: text/plain'] },
  { name: 'HEAD of an error', method: 'HEAD', status: '404 Not Found', lines: ['content-length: 20'], length: '20' },
  {
    name: 'HEAD of an event stream',
    method: 'HEAD',
    status: '200 OK',
    lines: ['content-type: text/event-stream', 'transfer-encoding: chunked'],
  },
  { name: '205 with length 0', status: '205 Reset Content', lines: ['content-length: 0'], length: '0' },
  { name: '200 with length 0', status: '200 OK', lines: ['content-length: 0'], length: '0' },
  { name: '200 and an empty chunked body', status: '200 OK', lines: ['transfer-encoding: chunked'] },
]

for (const { name, method = 'GET', status, lines, length } of cases) {
  test(`B42 ${name}: at once, and the connections go on`, async (t) => {
    const head = headOf(`HTTP/1.1 ${status}`, [...lines, 'x-end: 1'])
    const emptyChunks = method !== 'HEAD' && lines.includes('transfer-encoding: chunked')
    const replay = await startReplay(t, (_request, connection) =>
      connection.write(emptyChunks ? Buffer.concat([head, Buffer.from('0\r\n\r\n')]) : head),
    )
    const client = await openRawClient(t, replay.proxy.url)
    const count = 3
    for (let n = 0; n < count; n++) {
      const got = await client.ask(requestBytes({ method })).over()
      assert.equal(got.head?.startLine, `HTTP/1.1 ${status}`)
      assert.equal(got.complete, true)
      assert.equal(got.body.length, 0)
      assert.deepEqual(got.values('x-end'), ['1'])
      if (length !== undefined) assert.deepEqual(got.values('content-length'), [length])
      const etag = lines.find((line) => line.startsWith('etag'))
      assert.deepEqual(got.values('etag'), etag === undefined ? [] : [etag.slice(6)])
    }
    // The HTTP client renews its own connection after a HEAD and after a 304 that tells a length.
    if (method !== 'HEAD' && length !== '5') assert.equal(replay.gateway.connections.length, 1)
    const bad = status.startsWith('404') ? 'http_4xx' : 'ok'
    const records = await assertOutcomes(replay.proxy, bad, bad, bad)
    for (const record of records) assert.equal(record.marks.firstToken, undefined)
    await assertLive(replay)
  })
}

for (const { name, head } of [
  { name: '204', head: 'HTTP/1.1 204 No Content\r\n\r\n' },
  {
    name: '200 with length 0',
    head: 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 0\r\n\r\n',
  },
]) {
  test(`B42 ${name} to a generation`, async (t) => {
    const replay = await startReplay(t, (_request, connection) => connection.write(head))
    const got = await (await replay.ask(requestBytes({ target: '/v1/chat/completions', body: chatBody }))).over()
    assert.deepEqual([got.complete, got.body.length], [true, 0])
    const record = await replay.proxy.measurement()
    assert.equal(record.marks.firstToken, undefined)
    assert.equal(record.outcome, name === '204' ? 'ok' : 'truncated')
    await assertLive(replay)
  })
}

test('B42 bytes after an answer that has none reach nobody', async (t) => {
  const replay = await startReplay(t, (_request, connection) =>
    connection.write('HTTP/1.1 204 No Content\r\n\r\nEXTRA'),
  )
  for (let n = 0; n < 3; n++) {
    const client = await openRawClient(t, replay.proxy.url)
    const got = await client.ask(requestBytes()).over()
    assert.equal(got.status, 204)
    assert.doesNotMatch(client.received().toString(), /EXTRA/)
  }
})

test('B42 a body after the head of a HEAD reaches nobody', async (t) => {
  const replay = await startReplay(t, (_request, connection) =>
    connection.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nEXTRA'),
  )
  for (let n = 0; n < 3; n++) {
    const client = await openRawClient(t, replay.proxy.url)
    const got = await client.ask(requestBytes({ method: 'HEAD' })).over()
    assert.equal(got.status, 200)
    assert.doesNotMatch(client.received().toString(), /EXTRA/)
  }
})
