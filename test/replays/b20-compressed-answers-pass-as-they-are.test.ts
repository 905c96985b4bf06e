import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as zlib from 'node:zlib'
import { compressedPieces, storedZstd } from '../helpers/compressed.ts'
import { sumIn } from '../helpers/exposition.ts'
import { HeldClock } from '../helpers/held-clock.ts'
import { chunk, headOf } from '../helpers/raw-http.ts'
import {
  assertExact,
  assertLive,
  assertOutcomes,
  chatRequest,
  chunked,
  ordinaryBody,
  ordinaryEvents,
  startReplay,
  streamHead,
} from '../helpers/replay.ts'

const readsZstd = 'createZstdDecompress' in zlib

for (const coding of [
  'gzip',
  'x-gzip',
  'GZIP',
  'deflate',
  'raw deflate',
  'br',
  'gzip, br',
  'identity',
  'br, identity',
]) {
  test(`B20 a: ${coding}, flushed at each event: passed on at once, and read with the times of the compressed chunks`, async (t) => {
    const clock = new HeldClock()
    const pieces = await compressedPieces(coding, ordinaryEvents)
    const head = streamHead(`content-encoding: ${coding.replace('raw ', '')}`)
    const replay = await startReplay(
      t,
      async (_request, connection) => {
        await connection.write(head)
        let length = 0
        for (const [n, piece] of pieces.entries()) {
          clock.set(100 * (n + 1))
          await connection.chunk(piece)
          length += piece.length
          await answer.seen(length)
        }
        await connection.last()
      },
      { clock, idle: clock },
    )
    const answer = await replay.ask(chatRequest(['accept-encoding: gzip, br, deflate, zstd']))
    await assertExact(answer, { head, body: Buffer.concat(pieces) })
    assert.equal(replay.gateway.requests[0]?.values('accept-encoding')[0], 'gzip, br, deflate, zstd')
    const [record] = await assertOutcomes(replay.proxy, 'ok')
    assert.equal(record?.marks.firstToken, 200, 'the second event came at 200 ms')
    assert.equal(record?.marks.lastToken, 600)
    assert.equal(record?.tokens?.output, 5)
    assert.equal(record?.output.all.chunks, 5)
    await assertLive(replay)
  })
}

test('B20 a: two lines of Content-Encoding are one list', async (t) => {
  const pieces = await compressedPieces('gzip, br', ordinaryEvents)
  const head = streamHead('content-encoding: gzip', 'content-encoding: br')
  const replay = await startReplay(t, (_request, connection) =>
    connection.write(Buffer.concat([head, chunked(...pieces)])),
  )
  await assertExact(await replay.ask(), { head, body: Buffer.concat(pieces) })
  const [record] = await assertOutcomes(replay.proxy, 'ok')
  assert.equal(record?.tokens?.output, 5)
})

test('B20 b: what the gateway does not compress the proxy does not either', async (t) => {
  const replay = await startReplay(t, (_request, connection) =>
    connection.write(Buffer.concat([streamHead(), chunked(ordinaryBody)])),
  )
  const got = await assertExact(await replay.ask(chatRequest(['accept-encoding: gzip'])), {
    head: streamHead(),
    body: ordinaryBody,
  })
  assert.deepEqual(got.values('content-encoding'), [])
  assert.deepEqual(got.values('vary'), [])
})

const unreadable: readonly { name: string; lines: readonly string[]; body: Buffer }[] = [
  { name: 'c: gzip without its line', lines: [], body: zlib.gzipSync(ordinaryBody) },
  { name: 'c: br without its line', lines: [], body: zlib.brotliCompressSync(ordinaryBody) },
  { name: 'c: zlib without its line', lines: [], body: zlib.deflateSync(ordinaryBody) },
  { name: 'c: zstd without its line', lines: [], body: storedZstd('x'.repeat(200)) },
  {
    name: 'd: a coding nobody knows',
    lines: ['content-encoding: snappy'],
    body: Buffer.from('\xff\x06\0\0sNaPpY', 'latin1'),
  },
  {
    name: 'd: a known and an unknown coding',
    lines: ['content-encoding: gzip, snappy'],
    body: zlib.gzipSync(ordinaryBody),
  },
  { name: 'd: a coding that lies', lines: ['content-encoding: gzip'], body: Buffer.from(ordinaryBody) },
]

for (const { name, lines, body } of unreadable) {
  for (const type of ['text/event-stream', 'application/json']) {
    test(`B20 ${name}, ${type}: exact, ok, and said to be unread`, async (t) => {
      const head = headOf('HTTP/1.1 200 OK', [`content-type: ${type}`, 'transfer-encoding: chunked', ...lines])
      const replay = await startReplay(t, (_request, connection) =>
        connection.write(Buffer.concat([head, chunked(body.subarray(0, 9), body.subarray(9))])),
      )
      await assertExact(await replay.ask(), { head, body })
      const [record] = await assertOutcomes(replay.proxy, 'ok')
      assert.equal(record?.decoding, 'not_decoded')
      assert.equal(record?.marks.firstToken, undefined)
      assert.notEqual(record?.marks.firstByte, undefined)
      const metrics = await replay.proxy.metrics()
      assert.equal(sumIn(metrics, 'streamgauge_measurement_errors_total'), 1)
      assert.equal(sumIn(metrics, 'streamgauge_measurement_errors_total', { stage: 'decode' }), 1)
      await assertLive(replay)
    })
  }
}

test(`B20 d: zstd is ${readsZstd ? 'read' : 'passed on unread by this version of Node'}`, async (t) => {
  const body = storedZstd(ordinaryBody)
  const head = streamHead('content-encoding: zstd')
  const replay = await startReplay(t, (_request, connection) => connection.write(Buffer.concat([head, chunked(body)])))
  await assertExact(await replay.ask(), { head, body })
  const [record] = await assertOutcomes(replay.proxy, 'ok')
  assert.equal(record?.decoding, readsZstd ? 'decoded' : 'not_decoded')
  assert.equal(record?.tokens?.output, readsZstd ? 5 : undefined)
})

test('B20 a: a compressed stream that is cut is cut, and what came of it counts', async (t) => {
  const pieces = (await compressedPieces('gzip', ordinaryEvents)).slice(0, 4)
  const head = streamHead('content-encoding: gzip')
  const replay = await startReplay(t, async (_request, connection) => {
    await connection.write(Buffer.concat([head, ...pieces.map(chunk)]))
    await answer.seen(Buffer.concat(pieces).length)
    connection.reset()
  })
  const answer = await replay.ask()
  const got = await answer.over()
  assert.equal(got.complete, false)
  assert.deepEqual(got.body, Buffer.concat(pieces))
  const [record] = await assertOutcomes(replay.proxy, 'gateway_error')
  assert.notEqual(record?.marks.firstToken, undefined)
})

test('B20 f: buffering hints are passed on where they stand, and never added', async (t) => {
  const head = streamHead('x-accel-buffering: no', 'cache-control: no-cache, no-transform')
  const replay = await startReplay(t, (_request, connection) =>
    connection.write(Buffer.concat([head, chunked(ordinaryBody)])),
  )
  await assertExact(await replay.ask(), { head, body: ordinaryBody })
  replay.gateway.script = (_request, connection) =>
    connection.write(Buffer.concat([streamHead(), chunked(ordinaryBody)]))
  const got = await (await replay.ask()).over()
  assert.deepEqual([...got.values('x-accel-buffering'), ...got.values('cache-control')], [])
})

for (const { name, coding, compress } of [
  { name: 'gzip', coding: 'gzip', compress: zlib.gzipSync },
  { name: 'br', coding: 'br', compress: zlib.brotliCompressSync },
  { name: 'deflate', coding: 'deflate', compress: zlib.deflateSync },
]) {
  test(`B20 a: a whole JSON body in ${name}, cut anywhere: exact, and its usage is read`, async (t) => {
    const body = compress(
      '{"model":"m","choices":[{"message":{"content":"One two"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":5}}',
    )
    const head = headOf('HTTP/1.1 200 OK', [
      'content-type: application/json',
      `content-encoding: ${coding}`,
      `content-length: ${body.length}`,
    ])
    const replay = await startReplay(t, async (_request, connection) => {
      await connection.write(head)
      for (let at = 0; at < body.length; at += 20) {
        await connection.write(body.subarray(at, at + 20))
        await answer.seen(Math.min(body.length, at + 20))
      }
    })
    const answer = await replay.ask()
    await assertExact(answer, { head, body })
    const [record] = await assertOutcomes(replay.proxy, 'ok')
    assert.deepEqual([record?.streamed, record?.tokens?.output, record?.output.contentChars], [false, 5, 7])
  })
}
