import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createContentDecoder } from '../../src/stream/content-decoding.ts'
import { compress, compressors, decode, headerOf } from '../helpers/decoding.ts'
import { readFixture, readsOf, wireFixtures } from '../helpers/wire-fixtures.ts'

const texts = ['data: {"a":1}\n\n', 'data: {"b":"\u{1f30a}"}\n\n', ': comment\n\n', 'data: [DONE]\n\n']

for (const coding of Object.keys(compressors)) {
  test(`${coding}: each flush comes out with its own chunk`, async () => {
    const decoded = await decode(headerOf(coding), await compress(coding, texts))
    assert.equal(decoded.failed, false)
    assert.deepEqual([...decoded.byChunk], [...texts.entries()])
  })

  test(`${coding}: a byte at a time everything comes out, each text with the last byte of its flush or before`, async () => {
    const flushed = await compress(coding, texts)
    const bytes = Buffer.concat(flushed)
    const decoded = await decode(
      headerOf(coding),
      Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)),
    )
    assert.equal(decoded.failed, false)
    assert.equal(decoded.text, texts.join(''))
    let flushEnd = 0
    let textEnd = 0
    for (const [at, text] of texts.entries()) {
      flushEnd += (flushed[at] as Buffer).length
      textEnd += Buffer.byteLength(text)
      let length = 0
      for (const [chunk, part] of decoded.byChunk) if (chunk < flushEnd) length += Buffer.byteLength(part)
      assert.ok(length >= textEnd, `text ${at} is complete with byte ${flushEnd - 1}`)
    }
  })

  test(`${coding}: a body cut short hands out what came, and has not failed`, async () => {
    const chunks = await compress(coding, texts)
    const decoded = await decode(headerOf(coding), chunks.slice(0, 2))
    assert.deepEqual(decoded, { ...decoded, failed: false, text: `${texts[0]}${texts[1]}` })
  })

  test(`${coding}: a large body without flushes comes out whole`, async () => {
    const large = Array.from({ length: 40_000 }, (_, at) => `data: {"n":${at}}\n\n`).join('')
    const decoded = await decode(headerOf(coding), await compress(coding, [large]))
    assert.equal(decoded.failed, false)
    assert.equal(decoded.text === large, true)
  })

  test(`${coding}: no input at all is no failure`, async () => {
    assert.deepEqual(await decode(headerOf(coding), []), { byChunk: new Map(), text: '', bytes: 0, failed: false })
  })

  test(`${coding}: bytes behind the coding's end are not handed out`, async () => {
    const chunks = await compress(coding, texts)
    const tail = Buffer.from('trailing')
    const decoded = await decode(headerOf(coding), [...chunks, tail, tail, Buffer.concat([tail, tail])])
    assert.equal(decoded.text, texts.join(''))
  })
}

test('several layers come off in the order in which they were put on', async () => {
  const inner = await compress('gzip', texts)
  const outer = await compress('br', inner)
  const decoded = await decode('gzip, br', outer)
  assert.equal(decoded.failed, false)
  assert.deepEqual([...decoded.byChunk], [...texts.entries()])
})

test('names of codings are read in any case, with identity and empty entries between', async () => {
  const decoded = await decode(' , identity,GZIP ,x-gzip', await compress('gzip', await compress('gzip', texts)))
  assert.equal(decoded.text, texts.join(''))
})

test('tells what there is nothing to decode of from what cannot be decoded', () => {
  const sink = { onDecoded: () => {}, onDone: () => {} }
  assert.equal(createContentDecoder('', sink), 'identity')
  assert.equal(createContentDecoder('Identity, ', sink), 'identity')
  assert.equal(createContentDecoder('compress', sink), 'unknown')
  assert.equal(createContentDecoder('gzip, foo', sink), 'unknown')
  assert.equal(createContentDecoder('gzip, gzip, gzip, gzip, gzip', sink), 'unknown')
  assert.equal(createContentDecoder('constructor', sink), 'unknown')
})

for (const fixture of wireFixtures.filter((entry) => entry.response_headers['content-encoding'] !== undefined)) {
  test(`${fixture.name}: read through the decoder, every field is as its author says`, async () => {
    const decoded = await decode(fixture.response_headers['content-encoding'] as string, readsOf(fixture))
    const reads = [...decoded.byChunk].map(([chunk, text]) => [Buffer.from(text), chunk] as const)
    assert.deepEqual(readFixture(fixture, reads), fixture.expect)
  })
}
