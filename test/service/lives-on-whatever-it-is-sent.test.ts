import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { sumIn } from '../helpers/exposition.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { type RawMessage, within } from '../helpers/raw-http.ts'
import {
  assertExact,
  assertLive,
  chatBody,
  chatRequest,
  ordinaryBody,
  ordinaryStream,
  type Replay,
  startReplay,
  streamHead,
  wholeAnswer,
} from '../helpers/replay.ts'

const limit = { timeout: 30_000 }

/** The gateway says what method, target and how many body bytes it got. */
const echo = (request: RawMessage): Buffer =>
  wholeAnswer(`${request.head?.startLine.split(' ').slice(0, 2).join(' ')} ${request.body.length}`, 'text/plain')

async function echoing(t: TestContext, config = {}): Promise<Replay> {
  return startReplay(t, (request, connection) => connection.write(echo(request)), { config })
}

const json = ['content-type: application/json']
const chat = '/v1/chat/completions'

/** Reaches the gateway as it is, whatever it means. */
const passes: [string, { method?: string; target?: string; lines?: string[]; body?: string | Buffer }][] = [
  ['a body that is no JSON', { target: chat, lines: json, body: 'not json at all' }],
  ['half a JSON body', { target: chat, lines: json, body: chatBody.slice(0, 20) }],
  ['an empty body', { target: chat, lines: json, body: '' }],
  ['a body of null', { target: chat, lines: json, body: 'null' }],
  ['an array', { target: chat, lines: json, body: '[{"model":"m"}]' }],
  ['a model that is no string', { target: chat, lines: json, body: '{"model":{"a":1},"stream":"yes"}' }],
  ['bytes that are no UTF-8', { target: chat, lines: json, body: Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x22]) }],
  ['10 000 open brackets', { target: chat, lines: json, body: '['.repeat(10_000) }],
  ['no content type', { target: chat, body: chatBody }],
  ['a content type that is none', { target: chat, lines: ['content-type: ;;;'], body: chatBody }],
  ['compressed bytes that are none', { target: chat, lines: [...json, 'content-encoding: gzip'], body: 'no gzip' }],
  ['an unknown coding', { target: chat, lines: [...json, 'content-encoding: x'], body: chatBody }],
  ['GET where POST belongs', { method: 'GET', target: chat }],
  ['DELETE with a body', { method: 'DELETE', target: '/v1/files/x', body: 'x' }],
  ['an unknown path', { method: 'GET', target: '/no/such/path' }],
  ['an expectation that is none', { method: 'GET', target: '/v1/models', lines: ['expect: magic'] }],
  ['the root', { method: 'GET', target: '/' }],
  ['an escape that is none', { method: 'GET', target: '/v1/%zz' }],
  ['an app that is no UTF-8', { target: `/@%ff%fe${chat}`, lines: json, body: chatBody }],
  ['a path of 8 kB', { method: 'GET', target: `/v1/${'x'.repeat(8000)}` }],
]

test('what a gateway may judge reaches the gateway', limit, async (t) => {
  const replay = await echoing(t)
  for (const [index, [what, parts]] of passes.entries()) {
    const answer = await replay.ask(requestBytes({ method: 'POST', ...parts }))
    const { body, status } = await answer.over()
    const target = (parts.target ?? '').replace(/^\/@[^/]*/, '')
    const length = parts.body === undefined ? 0 : Buffer.from(parts.body as string).length
    assert.equal(body.toString(), `${parts.method ?? 'POST'} ${target} ${length}`, what)
    assert.equal(status, 200, what)
    assert.equal((await replay.proxy.measurement(index)).outcome, 'ok', what)
  }
  await assertLive(replay)
})

/** Never reaches it. */
const refused: [string, string | Buffer, number][] = [
  ['CONNECT', 'CONNECT localhost:80 HTTP/1.1\r\nhost: localhost\r\n\r\n', 405],
  ['no HTTP', 'hello there\r\n\r\n', 400],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['a TLS greeting', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]), 400],
  [
    'length and chunks at once',
    `POST ${chat} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n`,
    400,
  ],
  [
    'two lengths',
    `POST ${chat} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd`,
    400,
  ],
  ['a length that is none', `POST ${chat} HTTP/1.1\r\nhost: localhost\r\ncontent-length: x\r\n\r\n`, 400],
  [
    'a chunk size that is none',
    `POST ${chat} HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`,
    400,
  ],
  ['a NUL in a header', 'GET /v1/models HTTP/1.1\r\nhost: localhost\r\nx: a\0b\r\n\r\n', 400],
  ['no Host', 'GET /v1/models HTTP/1.1\r\n\r\n', 400],
  ['a head of 100 kB', `GET /v1/models HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, 431],
  ['a Host of somebody else', 'GET /v1/models HTTP/1.1\r\nhost: evil.example\r\n\r\n', 421],
  ['two slashes', 'GET //v1/models HTTP/1.1\r\nhost: localhost\r\n\r\n', 400],
  ['dots', 'GET /v1/../admin HTTP/1.1\r\nhost: localhost\r\n\r\n', 400],
  ['encoded dots', 'GET /v1/%2e%2E/admin HTTP/1.1\r\nhost: localhost\r\n\r\n', 400],
  ['a backslash', 'GET /v1\\models HTTP/1.1\r\nhost: localhost\r\n\r\n', 400],
]

test('what is no request for a gateway is refused with a clear error, and counted', limit, async (t) => {
  const replay = await echoing(t)
  for (const [index, [what, bytes, status]] of refused.entries()) {
    const answer = await replay.ask(Buffer.from(bytes as string, 'latin1'))
    const message = await answer.over()
    assert.equal(message.status, status, what)
    assert.notEqual(message.body.length, 0, what)
    const { error } = JSON.parse(message.body.toString())
    assert.match(error.message, /^Streamgauge: ./, what)
    assert.equal(typeof error.code, 'string', what)
    assert.doesNotMatch(message.body.toString(), /127\.0\.0\.1|evil/, what)
    const m = await within(replay.proxy.measurement(index), what)
    assert.equal(m.outcome, 'rejected', what)
    assert.equal(m.status, status, what)
  }
  assert.equal(replay.gateway.requests.length, 0)
  assert.equal(
    sumIn(await replay.proxy.metrics(), 'streamgauge_requests_total', { outcome: 'rejected' }),
    refused.length,
  )
  await assertLive(replay)
})

test('a body over the limit is refused, and the client that still sends it hears so', limit, async (t) => {
  const replay = await echoing(t, { proxy: { maxBodyBytes: 100_000 } })
  const answer = await replay.ask(chatRequest([], Buffer.alloc(4_000_000, 0x20)))
  const message = await answer.over()
  assert.equal(message.status, 413)
  assert.equal(JSON.parse(message.body.toString()).error.code, 'body_too_large')
  assert.equal((await replay.proxy.measurement()).outcome, 'rejected')
  assert.equal(replay.gateway.requests.length, 0)
  await assertLive(replay)
})

test('clients that leave in the middle of anything harm nobody', limit, async (t) => {
  const replay = await startReplay(t, ordinaryStream)
  const whole = chatRequest()
  for (const length of [0, 1, 30, whole.indexOf('\r\n\r\n') + 2, whole.length - 10]) {
    for (const how of ['fin', 'reset'] as const) {
      const client = await openRawClient(t, replay.proxy.url)
      await client.write(whole.subarray(0, length))
      client[how]()
      await client.closed
    }
  }
  await assertLive(replay)
})

test('random damage to a request: an answer or a close, never the end of the process', {
  timeout: 60_000,
}, async (t) => {
  const replay = await startReplay(t, ordinaryStream)
  const whole = chatRequest()
  const damage = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(damage, fc.boolean(), async (changes, split) => {
      const bytes = Buffer.from(whole)
      for (const [at, byte] of changes) bytes[at] = byte
      const { port } = new URL(replay.proxy.url)
      const socket = connect({ host: '127.0.0.1', port: Number(port) })
      const closed = new Promise((resolve) => socket.on('close', resolve))
      socket.on('error', () => {})
      if (split) {
        socket.write(bytes.subarray(0, bytes.length >> 1))
        setImmediate(() => socket.end(bytes.subarray(bytes.length >> 1)))
      } else socket.end(bytes)
      socket.resume()
      await within(closed, 'the close')
    }),
    { numRuns: 300 },
  )
  assert.deepEqual(replay.proxy.faults, [])
  const ask = await replay.ask()
  await assertExact(ask, { head: streamHead(), body: ordinaryBody })
  assert.equal(sumIn(await replay.proxy.metrics(), 'streamgauge_streams_in_flight'), 0)
})

test('the admin listener lives on, too', limit, async (t) => {
  const replay = await echoing(t)
  for (const [what, bytes] of refused) {
    const client = await openRawClient(t, replay.proxy.service.adminUrl)
    await client.write(Buffer.from(bytes as string, 'latin1'))
    client.fin()
    await within(client.closed, what)
  }
  for (const [method, path] of [
    ['POST', '/metrics'],
    ['GET', '/nothing'],
    ['DELETE', '/'],
    ['GET', '/metrics?x=%zz'],
  ]) {
    const answer = await fetch(new URL(path as string, replay.proxy.service.adminUrl), { method: method as string })
    assert.ok(answer.status === 200 || (answer.status >= 400 && answer.status < 500), `${method} ${path}`)
    await answer.text()
  }
  await assertLive(replay)
})
