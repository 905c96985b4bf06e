import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestBytes } from '../helpers/raw-client.ts'
import { headOf } from '../helpers/raw-http.ts'
import { assertExact, assertExactRequest, bothKinds, chatBody, startReplay } from '../helpers/replay.ts'

const repeated = [
  'set-cookie: a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT',
  'x-rep: 1',
  'link: </a>; rel=next',
  'www-authenticate: Basic realm="a"',
  'Set-Cookie: b=2',
  'X-Rep: 2, 3',
  'link: </b>; rel=last',
  'www-authenticate: Bearer',
  'x-ratelimit-remaining-requests: 5',
  'retry-after: 7',
  'vary: origin',
  'vary: accept',
  'via: 1.1 a',
  'via: 1.1 b',
  'warning: 199 - "x"',
  'content-type: text/plain',
  'date: Mon, 01 Jan 2024 00:00:00 GMT',
  'server: x',
  'age: 1',
  'etag: "a"',
  'last-modified: Mon, 01 Jan 2024 00:00:00 GMT',
]

for (const { kind, request } of bothKinds) {
  test(`B23 lines of the answer keep their number and order, ${kind}`, async (t) => {
    const head = headOf('HTTP/1.1 401 Unauthorized', [...repeated, 'content-length: 2'])
    const replay = await startReplay(t, (_request, connection) =>
      connection.write(Buffer.concat([head, Buffer.from('no')])),
    )
    const got = await assertExact(await replay.ask(request()), { head, body: 'no' })
    const order = (got.head?.lines ?? [])
      .map(([name, value]) => `${name}: ${value}`)
      .filter((line) => repeated.includes(line))
    assert.deepEqual(order, repeated, 'the order of all lines, too')
  })

  test(`B23 a gateway that sends no Date gets none, ${kind}`, async (t) => {
    const replay = await startReplay(t, (_request, connection) =>
      connection.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
    )
    const got = await (await replay.ask(request())).over()
    assert.deepEqual(got.values('date'), [])
    assert.deepEqual(got.values('server'), [])
  })
}

for (const target of ['/v1/chat/completions', '/v1/embeddings']) {
  test(`B23 lines of the request keep their number and order, ${target}`, async (t) => {
    const lines = [
      'Accept: a',
      'X-Rep: 1',
      'accept: b',
      'Cookie: a=1',
      'x-rep: 2',
      'Cookie: b=2',
      'Forwarded: for=1',
      'X-Forwarded-For: 9.9.9.9',
      'User-Agent: one',
      'referer: https://a.example/',
      'If-None-Match: "a"',
      'content-type: application/json',
      'range: bytes=0-',
    ]
    const bytes = requestBytes({ target, lines, body: chatBody })
    const replay = await startReplay(t, (_request, connection) =>
      connection.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
    )
    await (await replay.ask(bytes)).over()
    const got = await replay.gateway.request(0)
    assertExactRequest(got, { bytes, body: chatBody })
    const order = (got.head?.lines ?? [])
      .map(([name, value]) => `${name}: ${value}`)
      .filter((line) => lines.includes(line))
    assert.deepEqual(order, lines)
  })
}
