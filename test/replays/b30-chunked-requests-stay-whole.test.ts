import assert from 'node:assert/strict'
import { test } from 'node:test'
import { curl } from '../helpers/curl.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { chunk, lastChunk, within } from '../helpers/raw-http.ts'
import { assertExactRequest, assertOutcomes, chatBody, startReplay } from '../helpers/replay.ts'
import { requireTool } from '../helpers/tools.ts'

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'
const targets = [
  { kind: 'a generation', target: '/v1/chat/completions' },
  { kind: 'passed through', target: '/v1/files' },
]
const parts = [chatBody.slice(0, 20), chatBody.slice(20, 40), chatBody.slice(40)]

test('B30 what is passed through is streamed: the gateway has each piece before the next is sent', async (t) => {
  const replay = await startReplay(t, (_request, connection) => connection.write(answer))
  const client = await openRawClient(t, replay.proxy.url)
  const head = requestBytes({ method: 'POST', target: '/v1/files', lines: ['transfer-encoding: chunked'] })
  const answered = client.ask(head)
  for (const part of parts) {
    await client.write(chunk(part))
    // The head goes out with the first byte of the body: the HTTP client writes them together.
    const connection = await replay.gateway.connection(0)
    while (!connection.received().includes(part)) {
      await within(new Promise((resolve) => connection.socket.once('data', resolve)), part)
    }
  }
  await client.write(lastChunk)
  assert.equal((await answered.over()).status, 200)
  assertExactRequest(await replay.gateway.request(0), { bytes: head, body: chatBody })
})

for (const { kind, target } of targets) {
  for (const { name, wire } of [
    { name: 'three chunks', wire: parts.map((part) => chunk(part).toString()).join('') + lastChunk },
    {
      name: 'chunk extensions',
      wire: `${parts.map((part) => `${part.length.toString(16)};a=b;c="d"\r\n${part}\r\n`).join('')}0;last\r\n\r\n`,
    },
    {
      name: 'sizes in upper case and with zeros',
      wire: `${`000${chatBody.length.toString(16)}`.toUpperCase()}\r\n${chatBody}\r\n${lastChunk}`,
    },
    { name: 'trailer fields', wire: `${chunk(chatBody)}0\r\nx-sum: 1\r\nx-more: 2\r\n\r\n` },
    { name: 'one byte a chunk', wire: [...chatBody].map((byte) => `1\r\n${byte}\r\n`).join('') + lastChunk },
  ]) {
    test(`B30 ${name}, ${kind}: the body whole, in one framing`, async (t) => {
      const replay = await startReplay(t, (_request, connection) => connection.write(answer))
      const head = requestBytes({ method: 'POST', target, lines: ['transfer-encoding: chunked', 'trailer: x-sum'] })
      const client = await openRawClient(t, replay.proxy.url)
      const got = client.ask(Buffer.concat([head, Buffer.from(wire)]))
      assert.equal((await got.over()).status, 200)
      const request = await replay.gateway.request(0)
      assertExactRequest(request, { bytes: head, body: chatBody })
      assert.equal(request.values('content-length').length + request.values('transfer-encoding').length, 1)
      assert.deepEqual(request.trailers, [])
      await assertOutcomes(replay.proxy, 'ok')
      // The connection goes on after the trailers.
      assert.equal((await client.ask(requestBytes()).over()).status, 200)
    })
  }

  test(`B30 Chunked in odd case, ${kind}`, async (t) => {
    const replay = await startReplay(t, (_request, connection) => connection.write(answer))
    const head = requestBytes({ method: 'POST', target, lines: ['Transfer-Encoding: Chunked'] })
    const got = await (await replay.ask(Buffer.concat([head, chunk(chatBody), Buffer.from(lastChunk)]))).over()
    assert.equal(got.status, 200)
    assert.equal(replay.gateway.requests[0]?.body.toString(), chatBody)
  })

  test(`B30 curl -T -, ${kind}`, async (t) => {
    if (!requireTool(t, 'curl')) return
    const replay = await startReplay(t, (_request, connection) => connection.write(answer))
    const args = ['-T', '-', '-X', 'POST', '-o', '/dev/null', '-w', '%{http_code}', replay.proxy.url + target]
    const { exitCode, out } = await curl(args, Buffer.from(chatBody))
    assert.deepEqual([exitCode, out.toString()], [0, '200'])
    assert.equal(replay.gateway.requests[0]?.body.toString(), chatBody)
  })
}
