import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { test } from 'node:test'
import { requestBytes } from '../helpers/raw-client.ts'
import { chunk, lastChunk } from '../helpers/raw-http.ts'
import { assertExactRequest, assertLive, assertOutcomes, startReplay } from '../helpers/replay.ts'

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'
const json = '{"model":"m"}'

interface Case {
  readonly name: string
  readonly method: string
  readonly lines?: readonly string[]
  readonly body?: string | Buffer
  readonly wire?: Buffer
}

const types = [
  'foo',
  '',
  'application/json;',
  'application/json; charset=utf-8',
  'application/json; charset=latin1',
  'application/vnd.x+json',
  'text/plain',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'a/b/c',
  ';',
  'text/event-stream',
]

const bodies: Readonly<Record<string, string>> = {
  'invalid JSON': '{"model":',
  'an array': '[1,2]',
  null: 'null',
  'a string': '"model"',
  'a number': '1',
  nothing: ' ',
  'a byte order mark': `\ufeff${json}`,
  __proto__: '{"__proto__":{"model":"evil"},"model":"m"}',
  'two models': '{"model":"a","model":"b"}',
  'a model that is no text': '{"model":{"a":1}}',
  'a constructor': '{"constructor":{"prototype":{"x":1}}}',
  'much nesting': '['.repeat(5000),
}

const cases: readonly Case[] = [
  { name: 'POST without body and type', method: 'POST' },
  {
    name: 'POST of an empty chunked body',
    method: 'POST',
    lines: ['transfer-encoding: chunked'],
    wire: Buffer.from(lastChunk),
  },
  { name: 'POST with content-length: 0', method: 'POST', lines: ['content-length: 0'] },
  {
    name: 'POST of JSON with length 0',
    method: 'POST',
    lines: ['content-type: application/json', 'content-length: 0'],
  },
  { name: 'DELETE with a JSON type and no body', method: 'DELETE', lines: ['content-type: application/json'] },
  { name: 'DELETE with a body', method: 'DELETE', lines: ['content-type: application/json'], body: json },
  { name: 'GET with a body', method: 'GET', lines: ['content-type: application/json'], body: json },
  {
    name: 'GET with a chunked body',
    method: 'GET',
    lines: ['transfer-encoding: chunked'],
    body: json,
    wire: Buffer.concat([chunk(json), Buffer.from(lastChunk)]),
  },
  { name: 'GET with length 0', method: 'GET', lines: ['content-length: 0'] },
  { name: 'OPTIONS with a body', method: 'OPTIONS', lines: ['content-type: application/json'], body: json },
  { name: 'PUT with a body', method: 'PUT', body: Buffer.from([0, 255, 10, 13, 0]) },
  { name: 'PATCH with a body', method: 'PATCH', lines: ['content-type: application/merge-patch+json'], body: json },
  { name: 'POST of bytes without a type', method: 'POST', body: Buffer.from([0, 255, 10, 13, 0]) },
  ...types.map((type) => ({
    name: `POST of type "${type}"`,
    method: 'POST',
    lines: [`content-type: ${type}`],
    body: json,
  })),
  {
    name: 'POST with two types',
    method: 'POST',
    lines: ['content-type: text/plain', 'content-type: application/json'],
    body: json,
  },
  ...Object.entries(bodies).map(([name, body]) => ({
    name: `POST of ${name}`,
    method: 'POST',
    lines: ['content-type: application/json'],
    body,
  })),
]

for (const target of ['/v1/chat/completions', '/v1/embeddings']) {
  for (const { name, method, lines = [], body = '', wire } of cases) {
    test(`B31 ${name}, ${target}: reaches the gateway as it is`, async (t) => {
      const replay = await startReplay(t, (_request, connection) => connection.write(answer))
      const bytes =
        wire === undefined
          ? requestBytes({ method, target, lines, ...(body !== '' && { body }) })
          : Buffer.concat([requestBytes({ method, target, lines }), wire])
      const got = await (await replay.ask(bytes)).over()
      assert.equal(got.status, 200, got.body.toString())
      assertExactRequest(await replay.gateway.request(0), { bytes, body })
      const [record] = await assertOutcomes(replay.proxy, 'ok')
      const model = record?.identity.model ?? ''
      assert.ok(
        target === '/v1/embeddings' || method !== 'POST' ? model === '' : ['m', 'b', 'unknown'].includes(model),
        model,
      )
      await assertLive(replay)
    })
  }
}

test('B31 every method that HTTP knows passes, body and all', async (t) => {
  const replay = await startReplay(t, (_request, connection) => connection.write(answer))
  for (const [n, method] of METHODS.filter((own) => own !== 'CONNECT' && own !== 'HEAD').entries()) {
    const bytes = requestBytes({ method, target: '/v1/x', body: json })
    const got = await (await replay.ask(bytes)).over()
    assert.equal(got.status, 200, `${method}: ${got.body}`)
    assertExactRequest(await replay.gateway.request(n), { bytes, body: json })
  }
})

test('B31 CONNECT is refused, and counted', async (t) => {
  const replay = await startReplay(t, () => {})
  const got = await (
    await replay.ask(Buffer.from('CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n'))
  ).over()
  assert.ok([400, 405, 421].includes(got.status), String(got.status))
  await assertOutcomes(replay.proxy, 'rejected')
  assert.equal(replay.gateway.connections.length, 0)
})
