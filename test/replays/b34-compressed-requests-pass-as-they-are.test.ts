import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as zlib from 'node:zlib'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { storedZstd } from '../helpers/compressed.ts'
import { requestBytes } from '../helpers/raw-client.ts'
import { assertExactRequest, assertLive, assertOutcomes, ordinaryStream, startReplay } from '../helpers/replay.ts'

const readsZstd = 'zstdDecompress' in zlib
const small = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x'.repeat(200) }] })
const noise = Array.from({ length: 250_000 }, (_, n) => ((n * 2_654_435_761) >>> 0).toString(36)).join('')
const large = JSON.stringify({ messages: [{ role: 'user', content: noise }], stream: true, model: 'm' })
const brotli = (body: string | Buffer): Buffer =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })

const cases: readonly { name: string; coding: string; body: Buffer; model: string }[] = [
  { name: 'gzip, small', coding: 'gzip', body: gzipSync(small), model: 'm' },
  { name: 'gzip, large', coding: 'gzip', body: gzipSync(large), model: 'm' },
  { name: 'GZIP', coding: 'GZIP', body: gzipSync(small), model: 'm' },
  { name: 'deflate', coding: 'deflate', body: zlib.deflateSync(small), model: 'm' },
  { name: 'raw deflate', coding: 'deflate', body: zlib.deflateRawSync(small), model: 'm' },
  { name: 'br, small', coding: 'br', body: brotli(small), model: 'm' },
  { name: 'br, large', coding: 'br', body: brotli(large), model: 'm' },
  { name: 'two layers', coding: 'gzip, br', body: brotli(gzipSync(small)), model: 'm' },
  { name: 'zstd', coding: 'zstd', body: storedZstd(small), model: readsZstd ? 'm' : 'unknown' },
  { name: 'identity', coding: 'identity', body: Buffer.from(small), model: 'm' },
  { name: 'a coding nobody knows', coding: 'x', body: Buffer.from(small), model: 'unknown' },
  { name: 'a coding that lies', coding: 'gzip', body: Buffer.from(small), model: 'unknown' },
  { name: 'gzip cut short', coding: 'gzip', body: gzipSync(noise.slice(0, 5000)).subarray(0, 100), model: 'unknown' },
  { name: 'an empty body', coding: 'gzip', body: Buffer.alloc(0), model: 'unknown' },
  { name: 'a bomb of 10 MB in 10 kB', coding: 'gzip', body: gzipSync(Buffer.alloc(10_000_000)), model: 'unknown' },
  {
    name: 'a bomb of 256 MB in a few hundred bytes',
    coding: 'br',
    body: brotli(Buffer.alloc(2 ** 28)),
    model: 'unknown',
  },
  {
    name: 'a bomb inside a bomb',
    coding: 'gzip, gzip',
    body: gzipSync(gzipSync(Buffer.alloc(10_000_000))),
    model: 'unknown',
  },
]

for (const { name, coding, body, model } of cases) {
  test(`B34 ${name}: forwarded as it came, read from a bounded copy`, async (t) => {
    const replay = await startReplay(t, ordinaryStream)
    const lines = [`content-encoding: ${coding}`, 'content-type: application/json']
    const bytes = requestBytes({ method: 'POST', target: '/v1/chat/completions', lines, body })
    assert.equal((await (await replay.ask(bytes)).over()).status, 200)
    assertExactRequest(await replay.gateway.request(0), { bytes, body })
    const [record] = await assertOutcomes(replay.proxy, 'ok')
    assert.equal(record?.identity.model, model)
    assert.equal(record?.streamed, true)
    await assertLive(replay)
  })

  test(`B34 ${name}, passed through`, async (t) => {
    const replay = await startReplay(t, ordinaryStream)
    const bytes = requestBytes({
      method: 'POST',
      target: '/v1/embeddings',
      lines: [`content-encoding: ${coding}`],
      body,
    })
    assert.equal((await (await replay.ask(bytes)).over()).status, 200)
    assertExactRequest(await replay.gateway.request(0), { bytes, body })
  })
}
