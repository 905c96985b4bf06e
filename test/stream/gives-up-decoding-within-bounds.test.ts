import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { createContentDecoder } from '../../src/stream/content-decoding.ts'
import { compress, compressors, decode, headerOf } from '../helpers/decoding.ts'

const texts = ['data: {"a":1}\n\n', 'data: {"b":2}\n\n', 'data: {"c":3}\n\n']

test('a corrupt chunk: what the chunks before it completed is handed out, then it has failed', async () => {
  for (const coding of ['gzip', 'deflate']) {
    const chunks = await compress(coding, texts)
    chunks[2] = Buffer.alloc(64, 0xff)
    const decoded = await decode(headerOf(coding), chunks)
    assert.equal(decoded.failed, true)
    assert.deepEqual([...decoded.byChunk], [...texts.slice(0, 2).entries()])
  }
})

test('what is not compressed at all fails and hands nothing out', async () => {
  for (const coding of ['gzip', 'deflate', 'br']) {
    const decoded = await decode(
      coding,
      texts.map((text) => Buffer.from(text)),
    )
    assert.equal(decoded.failed, true, coding)
  }
})

test('a bomb stops at the bound, whatever the coding and however many layers', async () => {
  const zeros = Buffer.alloc(8 * 1024 * 1024)
  const bombs: [string, Buffer][] = [
    ['gzip', gzipSync(zeros)],
    ['br', brotliCompressSync(zeros)],
    ['gzip, gzip', gzipSync(gzipSync(zeros))],
  ]
  for (const [coding, bomb] of bombs) {
    const decoded = await decode(coding, [bomb], { decodedBytes: 1_000_000, ratio: 1 })
    assert.equal(decoded.failed, true, coding)
    assert.ok(decoded.bytes <= 1_000_000 + bomb.length, `${coding}: ${decoded.bytes}`)
  }
})

test('a long body of an ordinary ratio is not taken for a bomb', async () => {
  const chunks = await compress(
    'gzip',
    Array.from({ length: 500 }, (_, at) => `data: {"text":"number ${at}"}\n\n`),
  )
  const decoded = await decode('gzip', chunks, { decodedBytes: 1000 })
  assert.equal(decoded.failed, false)
})

test('more compressed bytes than may wait are given up, and what comes later is not kept', async () => {
  const decoded = await decode('gzip', [gzipSync('x'), Buffer.alloc(2000), gzipSync('y')], { backlogBytes: 1000 })
  assert.equal(decoded.failed, true)
})

test('a sink that throws ends the decoding as failed, and harms nobody', async () => {
  const failed = await new Promise((resolve) => {
    const decoder = createContentDecoder('gzip', {
      onDecoded: () => {
        throw new Error('broken observer')
      },
      onDone: resolve,
    })
    if (typeof decoder === 'string') throw new Error(decoder)
    decoder.push(gzipSync('a'), 0)
    decoder.push(gzipSync('b'), 1)
    decoder.end()
  })
  assert.equal(failed, true)
})

test('done is told once, and never inside end', async () => {
  let inside = true
  const told: boolean[] = []
  const decoder = createContentDecoder('br', {
    onDecoded: () => {},
    onDone: () => told.push(inside),
  })
  if (typeof decoder === 'string') throw new Error(decoder)
  decoder.end()
  decoder.end()
  inside = false
  await new Promise(setImmediate)
  decoder.push(Buffer.from('late'), 1)
  decoder.end()
  await new Promise(setImmediate)
  assert.deepEqual(told, [false])
})

test('damaged bytes of any coding: never a throw, done once, and no byte after the failure', async () => {
  const bodies = new Map<string, Buffer>()
  for (const coding of Object.keys(compressors)) bodies.set(coding, Buffer.concat(await compress(coding, texts)))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...bodies.keys()),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 40 }),
      async (coding, damage, size) => {
        const body = Buffer.from(bodies.get(coding) as Buffer)
        for (const [at, byte] of damage) body[at % body.length] = byte
        const chunks: Buffer[] = []
        for (let at = 0; at < body.length; at += size) chunks.push(body.subarray(at, at + size))
        const decoded = await decode(headerOf(coding), chunks)
        assert.equal(typeof decoded.failed, 'boolean')
      },
    ),
    { numRuns: 100 },
  )
})
