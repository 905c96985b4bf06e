import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModelTable } from '../../src/report/model-table.ts'
import { measurement, passedThrough, withoutOutput } from '../helpers/measurement.ts'

const minute = 60_000

function table() {
  const held = { now: 1_000_000 }
  const models = new ModelTable(() => held.now)
  return {
    held,
    models,
    counts: () => models.rows().map(({ model, windows }) => [model, ...windows.map((window) => window?.n ?? 0)]),
  }
}

test('an exchange leaves the 5 minutes, then the hour, and stays since the start', () => {
  const { held, models, counts } = table()
  models.ended(measurement())
  assert.deepEqual(counts(), [['a/b', 1, 1, 1]])
  held.now += 4 * minute
  models.ended(measurement())
  assert.deepEqual(counts(), [['a/b', 2, 2, 2]])
  held.now += 1.1 * minute
  assert.deepEqual(counts(), [['a/b', 1, 2, 2]])
  held.now += 56 * minute
  assert.deepEqual(counts(), [['a/b', 0, 1, 2]])
  held.now += 10 * 60 * minute
  assert.deepEqual(counts(), [['a/b', 0, 0, 2]])
  models.ended(measurement())
  assert.deepEqual(counts(), [['a/b', 1, 1, 3]], 'slots are used again, without what was in them')
})

test('failures, clients that left, cache, tokens and cost', () => {
  const { models } = table()
  models.ended(measurement({ cache: 'hit', costUsd: 0.25 }))
  models.ended(measurement({ cache: 'miss', costUsd: 0.5 }))
  models.ended(measurement({ outcome: 'truncated' }))
  models.ended(measurement({ outcome: 'client_abort', ...withoutOutput }))
  models.ended(measurement({ outcome: 'shutdown', ...withoutOutput }))
  models.ended(passedThrough())
  const [row] = models.rows()
  const window = row?.windows[0]
  assert.equal(window?.n, 5)
  assert.deepEqual([window?.errors, window?.clientsLeft, window?.cacheHits, window?.cacheKnown], [1, 1, 1, 2])
  assert.deepEqual([window?.outputTokens, window?.costUsd], [303, 0.75])
  assert.equal(window?.ttft.n, 3)
  assert.equal(window?.rate.n, 2)
})

test('the same model at two gateways are two, and bounded in number', () => {
  const { models } = table()
  for (const gateway of ['one', 'two']) models.ended(measurement({ identity: { gateway } }))
  assert.deepEqual(
    models.rows().map(({ gateway }) => gateway),
    ['one', 'two'],
  )
  for (let index = 0; index < 200; index++) models.ended(measurement({ identity: { model: `model ${index}` } }))
  const rows = models.rows()
  assert.equal(rows.length, 51)
  assert.equal(rows.at(-1)?.model, 'other')
  assert.equal(rows.at(-1)?.windows[2]?.n, 152)
})
