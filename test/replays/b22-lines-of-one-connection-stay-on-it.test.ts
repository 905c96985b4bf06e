import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { headOf } from '../helpers/raw-http.ts'
import { assertLive, assertOutcomes, chatBody, chunked, ordinaryBody, startReplay } from '../helpers/replay.ts'

const hopLines = [
  'Connection: X-Hop, keep-alive',
  'X-Hop: 1',
  'Keep-Alive: timeout=5',
  'TE: trailers, deflate',
  'Proxy-Connection: keep-alive',
  'Upgrade: h2c',
  'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  'Proxy-Authorization: Basic x',
  'Connection: X-Custom',
  'X-Custom: 2',
  'Trailer: X-Sum',
]
const kinds = [
  { kind: 'a generation', target: '/v1/chat/completions' },
  { kind: 'passed through', target: '/v1/embeddings' },
]

for (const { kind, target } of kinds) {
  test(`B22 the client's lines do not reach the gateway, ${kind}`, async (t) => {
    const replay = await startReplay(t, (_request, connection) =>
      connection.write(
        Buffer.concat([headOf('HTTP/1.1 200 OK', ['transfer-encoding: chunked']), chunked(ordinaryBody)]),
      ),
    )
    const bytes = requestBytes({ target, lines: [...hopLines, 'X-Foo: 1', 'X-Foo: 2'], body: chatBody })
    assert.equal((await (await replay.ask(bytes)).over()).status, 200)
    const request = await replay.gateway.request(0)
    const names = request.head?.lines.map(([name]) => name.toLowerCase()) ?? []
    for (const name of [
      'x-hop',
      'x-custom',
      'te',
      'proxy-connection',
      'upgrade',
      'http2-settings',
      'proxy-authorization',
      'trailer',
    ]) {
      assert.ok(!names.includes(name), name)
    }
    assert.ok(!request.values('connection').join().match(/x-/i))
    assert.deepEqual(
      request.values('keep-alive').filter((value) => value === 'timeout=5'),
      [],
    )
    assert.deepEqual(request.values('x-foo'), ['1', '2'])
  })

  test(`B22 the gateway's lines do not reach the client, and its close closes no client, ${kind}`, async (t) => {
    const replay = await startReplay(t, async (_request, connection) => {
      await connection.write(
        Buffer.concat([
          headOf('HTTP/1.1 200 OK', [
            'Connection: close, X-Up',
            'X-Up: 1',
            'Keep-Alive: timeout=5',
            'Proxy-Authenticate: Basic',
            'Upgrade: h2,h2c',
            'Trailer: X-Sum',
            'X-End: 2',
            'content-length: 2',
          ]),
          Buffer.from('ok'),
        ]),
      )
      connection.fin()
    })
    const client = await openRawClient(t, replay.proxy.url)
    for (let n = 0; n < 2; n++) {
      const got = await client.ask(requestBytes({ target, body: chatBody })).over()
      assert.equal(got.status, 200)
      const names = got.head?.lines.map(([name]) => name.toLowerCase()) ?? []
      for (const name of ['x-up', 'upgrade', 'proxy-authenticate', 'trailer']) assert.ok(!names.includes(name), name)
      assert.deepEqual(
        got.values('keep-alive').filter((value) => value === 'timeout=5'),
        [],
      )
      assert.ok(
        !got
          .values('connection')
          .join()
          .match(/close|x-up/i),
      )
      assert.deepEqual(got.values('x-end'), ['2'])
    }
    assert.equal(replay.gateway.requests.length, 2)
  })

  test(`B22 the client's close closes no connection to the gateway, ${kind}`, async (t) => {
    const replay = await startReplay(t, (_request, connection) =>
      connection.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
    )
    for (let n = 0; n < 2; n++) {
      const client = await openRawClient(t, replay.proxy.url)
      const got = await client.ask(requestBytes({ target, lines: ['connection: close'], body: chatBody })).over()
      assert.match(got.values('connection').join(), /close/i)
      assert.equal(await client.closed, 'fin')
    }
    assert.equal(replay.gateway.connections.length, 1)
  })

  test(`B22 an upgrade that is offered and not taken (as Apache does) is no fault, ${kind}`, async (t) => {
    const replay = await startReplay(t, (_request, connection) =>
      connection.write(
        'HTTP/1.1 200 OK\r\nUpgrade: h2,h2c\r\nConnection: Upgrade, Keep-Alive\r\nKeep-Alive: timeout=5, max=100\r\ncontent-length: 2\r\n\r\nok',
      ),
    )
    const got = await (await replay.ask(requestBytes({ target, body: chatBody }))).over()
    assert.deepEqual([got.status, got.body.toString(), got.values('upgrade')], [200, 'ok', []])
  })

  test(`B22 trailers of the answer end with the connection they came on, ${kind}`, async (t) => {
    const replay = await startReplay(t, (_request, connection) =>
      connection.write(
        'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n2\r\nok\r\n0\r\nx-sum: 1\r\n\r\n',
      ),
    )
    const got = await (await replay.ask(requestBytes({ target, body: chatBody }))).over()
    assert.deepEqual([got.complete, got.body.toString(), got.trailers], [true, 'ok', []])
  })
}

test('B22 Connection cannot take away what frames or names the request', async (t) => {
  const replay = await startReplay(t, (_request, connection) =>
    connection.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
  )
  const bytes = requestBytes({
    target: '/v1/embeddings',
    lines: ['connection: host, content-length, content-type', 'content-type: application/json'],
    body: chatBody,
  })
  assert.equal((await (await replay.ask(bytes)).over()).status, 200)
  const request = await replay.gateway.request(0)
  assert.equal(request.body.toString(), chatBody)
  assert.deepEqual(request.values('host'), [`127.0.0.1:${replay.gateway.port}`])
})

for (const { name, bytes } of [
  { name: 'an HTTP/2 preface', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0' },
  { name: 'a TLS hello', bytes: '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03' },
  { name: 'something else', bytes: 'hello there\r\n\r\n' },
]) {
  test(`B22 ${name} gets 400 and a close, and a line in the log`, async (t) => {
    const replay = await startReplay(t, () => {})
    const client = await openRawClient(t, replay.proxy.url)
    const got = await client.ask(bytes).over()
    assert.equal(got.status, 400)
    assert.match(got.body.toString(), /"code":"bad_request"/)
    await client.closed
    await assertOutcomes(replay.proxy, 'rejected')
    assert.equal(replay.proxy.log.length, 1)
    assert.equal(replay.proxy.log[0]?.['outcome'], 'rejected')
    assert.equal(replay.gateway.connections.length, 0)
    await assertLive(replay)
  })
}

test('B22 an offer of HTTP/2 in a request is passed over', async (t) => {
  const replay = await startReplay(t, (_request, connection) =>
    connection.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
  )
  const lines = ['connection: upgrade, http2-settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAARAAAAAAAIAAAAA']
  for (const request of [
    requestBytes({ lines }),
    requestBytes({ target: '/v1/chat/completions', lines, body: chatBody }),
  ]) {
    const got = await (await replay.ask(request)).over()
    assert.deepEqual([got.status, got.body.toString()], [200, 'ok'])
  }
})
