import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChunkInstants } from '../../src/measurement/chunk-instants.ts'

test('all of the first 256, in ms after received', () => {
  const instants = new ChunkInstants(1000)
  for (let chunk = 0; chunk < 256; chunk++) instants.add(1500 + 10 * chunk)
  assert.equal(instants.stride, 1)
  assert.deepEqual(
    instants.list(),
    Array.from({ length: 256 }, (_, chunk) => 500 + 10 * chunk),
  )
})

test('thinned as it grows: every 2nd, 4th …, from the first, evenly over the whole stream', () => {
  for (const chunks of [257, 300, 511, 512, 513, 10_000, 1_000_000]) {
    const instants = new ChunkInstants(0)
    for (let chunk = 0; chunk < chunks; chunk++) instants.add(chunk)
    const { stride } = instants
    assert.equal(instants.seen, chunks)
    assert.ok(instants.length <= 256 && instants.length >= 128)
    assert.deepEqual(
      instants.list(),
      Array.from({ length: Math.ceil(chunks / stride) }, (_, index) => index * stride),
    )
  }
})

test('a shorter list keeps instants that stand still while the stream grows', () => {
  const instants = new ChunkInstants(0)
  let before: number[] = []
  for (let chunk = 0; chunk < 5000; chunk++) {
    instants.add(chunk)
    const list = instants.list(64)
    assert.ok(list.length <= 64)
    assert.equal(list[0], 0)
    const kept = before.filter((instant) => list.includes(instant))
    assert.ok(kept.length >= Math.floor(before.length / 2), 'at most every second is left out')
    before = list
  }
})

test('stalls are kept whatever is thinned, as many as there is room for', () => {
  const instants = new ChunkInstants(100)
  instants.gap(200, 1200)
  assert.deepEqual(instants.stalls(), [], 'a second is no stall')
  for (let stall = 0; stall < 100; stall++) instants.gap(1000 * stall + 100, 1000 * stall + 1600)
  assert.equal(instants.stalls().length, 16)
  assert.deepEqual(instants.stalls()[1], { from: 1000, to: 2500 })
})
