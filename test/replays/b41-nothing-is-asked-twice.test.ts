import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestBytes } from '../helpers/raw-client.ts'
import { headOf } from '../helpers/raw-http.ts'
import { assertExact, assertOutcomes, chatRequest, startReplay } from '../helpers/replay.ts'

const requests = [
  { kind: 'GET', bytes: requestBytes() },
  { kind: 'HEAD', bytes: requestBytes({ method: 'HEAD' }) },
  { kind: 'a generation', bytes: chatRequest() },
  { kind: 'POST passed through', bytes: requestBytes({ target: '/v1/embeddings', body: '{}' }) },
  { kind: 'PUT', bytes: requestBytes({ method: 'PUT', target: '/v1/x', body: '{}' }) },
]

for (const { kind, bytes } of requests) {
  for (const { status, lines } of [
    { status: '503 Service Unavailable', lines: ['retry-after: 1'] },
    { status: '503 Service Unavailable', lines: [] },
    {
      status: '429 Too Many Requests',
      lines: [
        'retry-after: Wed, 21 Oct 2037 07:28:00 GMT',
        'x-ratelimit-reset-requests: 1s',
        'x-ratelimit-remaining-tokens: 0',
      ],
    },
    { status: '408 Request Timeout', lines: ['connection: close'] },
    { status: '500 Internal Server Error', lines: [] },
    { status: '502 Bad Gateway', lines: [] },
    { status: '504 Gateway Timeout', lines: [] },
    { status: '301 Moved Permanently', lines: ['location: https://elsewhere.example/v1/models'] },
    { status: '307 Temporary Redirect', lines: ['location: /v1/other'] },
    { status: '401 Unauthorized', lines: ['www-authenticate: Bearer realm="x"'] },
    { status: '425 Too Early', lines: [] },
  ]) {
    test(`B41 ${status}${lines.length > 0 ? ` with ${lines[0]?.split(':')[0]}` : ''}, ${kind}: passed on as it is, asked once`, async (t) => {
      const head = headOf(`HTTP/1.1 ${status}`, [...lines, 'content-length: 4'])
      const body = kind === 'HEAD' ? '' : 'busy'
      const replay = await startReplay(t, (_request, connection) =>
        connection.write(Buffer.concat([head, Buffer.from(body)])),
      )
      await assertExact(await replay.ask(bytes), { head, body })
      assert.equal(replay.gateway.requests.length, 1)
      await replay.proxy.measurement()
      assert.equal(replay.proxy.measurements.length, 1)
      assert.equal(replay.proxy.measurements[0]?.resends, 0)
    })
  }

  test(`B41 a reset after the whole request, ${kind}: 502, asked once, on a new connection and on a used one`, async (t) => {
    const replay = await startReplay(t, (_request, connection) => connection.reset())
    assert.equal((await (await replay.ask(bytes)).over()).status, 502)
    replay.gateway.script = (_request, connection) => connection.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    assert.equal((await (await replay.ask(bytes)).over()).status, 200)
    replay.gateway.script = (_request, connection) => connection.reset()
    assert.equal((await (await replay.ask(bytes)).over()).status, 502)
    assert.equal(replay.gateway.requests.length, 3)
    const records = await assertOutcomes(replay.proxy, 'gateway_error', 'ok', 'gateway_error')
    assert.deepEqual(
      records.map(({ resends }) => resends),
      [0, 0, 0],
    )
  })
}
