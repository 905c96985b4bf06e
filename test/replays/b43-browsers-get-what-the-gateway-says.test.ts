import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumIn } from '../helpers/exposition.ts'
import { requestBytes } from '../helpers/raw-client.ts'
import { headOf } from '../helpers/raw-http.ts'
import {
  assertExact,
  assertExactRequest,
  assertOutcomes,
  chatBody,
  chatRequest,
  startReplay,
} from '../helpers/replay.ts'

const preflight = requestBytes({
  method: 'OPTIONS',
  target: '/v1/chat/completions',
  lines: [
    'origin: https://app.example',
    'access-control-request-method: POST',
    'access-control-request-headers: authorization,content-type',
  ],
})
const allowed = [
  'access-control-allow-origin: https://app.example',
  'access-control-allow-headers: authorization,content-type',
  'access-control-max-age: 600',
  'vary: origin',
]

for (const { name, status, lines } of [
  { name: 'a: allowed', status: '204 No Content', lines: allowed },
  { name: 'a: allowed with 200', status: '200 OK', lines: [...allowed, 'content-length: 0'] },
  { name: 'b: unknown there', status: '404 Not Found', lines: ['content-length: 0'] },
]) {
  test(`B43 a preflight is relayed, ${name}`, async (t) => {
    const head = headOf(`HTTP/1.1 ${status}`, lines)
    const replay = await startReplay(t, (_request, connection) => connection.write(head))
    await assertExact(await replay.ask(preflight), { head, body: '', without: ['content-length'] })
    assertExactRequest(await replay.gateway.request(0), { bytes: preflight, body: '' })
    await replay.proxy.measurement()
    const metrics = await replay.proxy.metrics()
    assert.equal(sumIn(metrics, 'streamgauge_requests_total', { operation: 'passthrough' }), 1)
    assert.equal(sumIn(metrics, 'streamgauge_request_duration_seconds_count', { operation: 'chat' }), 0)
    assert.equal(sumIn(metrics, 'streamgauge_time_to_first_token_seconds_count'), 0)
  })
}

test('B43 the answer to a POST with an Origin has the CORS lines of the gateway, once', async (t) => {
  const head = headOf('HTTP/1.1 200 OK', [...allowed, 'content-type: application/json', 'content-length: 2'])
  const replay = await startReplay(t, (_request, connection) =>
    connection.write(Buffer.concat([head, Buffer.from('{}')])),
  )
  const got = await assertExact(await replay.ask(chatRequest(['origin: https://app.example'])), { head, body: '{}' })
  assert.equal(got.values('access-control-allow-origin').length, 1)
  await assertOutcomes(replay.proxy, 'ok')
})

test('B43 the proxy adds no CORS line of its own, to no answer and no metrics', async (t) => {
  const replay = await startReplay(t, (_request, connection) =>
    connection.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'),
  )
  for (const bytes of [
    preflight,
    chatRequest(['origin: https://a.example'], chatBody),
    requestBytes({ target: '//', lines: ['origin: https://a.example'] }),
  ]) {
    const got = await (await replay.ask(bytes)).over()
    assert.deepEqual(
      got.head?.lines.filter(([name]) => /^access-control/i.test(name)),
      [],
    )
  }
  const metrics = await fetch(new URL('metrics', replay.proxy.service.adminUrl), {
    headers: { origin: 'https://a.example' },
  })
  await metrics.text()
  assert.equal(metrics.headers.get('access-control-allow-origin'), null)
})
