import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { headOf } from '../helpers/raw-http.ts'
import {
  assertExact,
  assertExactRequest,
  assertLive,
  assertOutcomes,
  bothKinds,
  chatBody,
  startReplay,
} from '../helpers/replay.ts'

const kib = 1024
const many = (count: number): string[] => Array.from({ length: count }, (_, n) => `x-${n}: ${n}`)
const long = (bytes: number): string[] => [`x-long: ${'a'.repeat(bytes)}`]
const ok: Buffer = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')

for (const target of ['/v1/chat/completions', '/v1/embeddings']) {
  for (const { name, lines } of [
    { name: 'a value of 20 KiB', lines: long(20 * kib) },
    { name: 'a value of 60 KiB', lines: long(60 * kib) },
    { name: '200 lines', lines: many(200) },
    { name: '3000 lines', lines: many(3000) },
  ]) {
    test(`B27 ${name} in the request, ${target}`, async (t) => {
      const replay = await startReplay(t, (_request, connection) => connection.write(ok))
      const bytes = requestBytes({ target, lines, body: chatBody })
      assert.equal((await (await replay.ask(bytes)).over()).status, 200)
      assertExactRequest(await replay.gateway.request(0), { bytes, body: chatBody })
    })
  }

  for (const { name, lines } of [
    { name: 'one value too large', lines: long(70 * kib) },
    { name: 'many values too large', lines: Array.from({ length: 70 }, (_, n) => `x-${n}: ${'a'.repeat(kib)}`) },
    { name: 'too many lines', lines: many(20_000) },
  ]) {
    test(`B27 ${name} in the request, ${target}: 431, counted`, async (t) => {
      const replay = await startReplay(t, (_request, connection) => connection.write(ok))
      const got = await (await replay.ask(requestBytes({ target, lines, body: chatBody }))).over()
      assert.equal(got.status, 431)
      assert.match(got.body.toString(), /"code":"head_too_large".*/)
      assert.match(got.body.toString(), /maxHeaderBytes/)
      await assertOutcomes(replay.proxy, 'rejected')
      assert.equal(replay.gateway.connections.length, 0)
      await assertLive(replay)
    })
  }
}

test('B27 a target that is too long is 431 too', async (t) => {
  const replay = await startReplay(t, () => {})
  const got = await (await replay.ask(requestBytes({ target: `/v1/${'a'.repeat(70 * kib)}` }))).over()
  assert.equal(got.status, 431)
})

test('B27 a 431 reaches a client that is still sending', async (t) => {
  const replay = await startReplay(t, () => {})
  const client = await openRawClient(t, replay.proxy.url)
  const answer = client.expect('GET')
  void client.write('GET /v1/models HTTP/1.1\r\nhost: 127.0.0.1\r\n')
  for (let n = 0; n < 200; n++) void client.write(`x-${n}: ${'a'.repeat(16 * kib)}\r\n`)
  assert.equal((await answer.over()).status, 431)
})

for (const { kind, request } of bothKinds) {
  for (const { name, lines } of [
    { name: 'a value of 20 KiB', lines: long(20 * kib) },
    { name: 'a value of 60 KiB', lines: long(60 * kib) },
    { name: '3000 lines', lines: many(3000) },
  ]) {
    test(`B27 ${name} in the answer, ${kind}`, async (t) => {
      const head = headOf('HTTP/1.1 200 OK', [...lines, 'content-length: 2'])
      const replay = await startReplay(t, (_request, connection) =>
        connection.write(Buffer.concat([head, Buffer.from('ok')])),
      )
      await assertExact(await replay.ask(request()), { head, body: 'ok' })
    })
  }

  test(`B27 an answer with too large a head is 502, ${kind}`, async (t) => {
    const replay = await startReplay(t, (_request, connection) =>
      connection.write(
        Buffer.concat([headOf('HTTP/1.1 200 OK', [...long(70 * kib), 'content-length: 2']), Buffer.from('ok')]),
      ),
    )
    const got = await (await replay.ask(request())).over()
    assert.equal(got.status, 502)
    assert.match(got.body.toString(), /"code":"headers_too_large"/)
    await assertOutcomes(replay.proxy, 'gateway_error')
    await assertLive(replay)
  })

  test(`B27 both limits can be set, ${kind}`, async (t) => {
    const lines = long(100 * kib)
    const head = headOf('HTTP/1.1 200 OK', [...lines, 'content-length: 2'])
    const replay = await startReplay(
      t,
      (_request, connection) => connection.write(Buffer.concat([head, Buffer.from('ok')])),
      {
        config: { proxy: { maxHeaderBytes: 128 * kib }, gateways: [{ maxHeaderBytes: 128 * kib }] },
      },
    )
    const bytes = request().toString('latin1').replace('\r\n', `\r\n${lines[0]}\r\n`)
    await assertExact(await replay.ask(Buffer.from(bytes, 'latin1')), { head, body: 'ok' })
  })
}
