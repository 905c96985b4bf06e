import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Recent } from '../../src/report/recent.ts'
import { measurement } from '../helpers/measurement.ts'

test('as many as there is room for, the newest first', () => {
  const recent = new Recent(3)
  assert.deepEqual(recent.list(), [])
  const told = ['a', 'b', 'c', 'd', 'e'].map((id) => measurement({ identity: { id } }))
  recent.ended(told[0] as (typeof told)[number])
  assert.deepEqual(
    recent.list().map(({ measurement: m }) => m.identity.id),
    ['a'],
  )
  for (const m of told.slice(1)) recent.ended(m)
  assert.deepEqual(
    recent.list().map(({ measurement: m }) => m.identity.id),
    ['e', 'd', 'c'],
  )
  assert.equal(recent.list()[0]?.evaluation.figures['time_to_first_token_seconds'], 0.5)
})

test('a reader asks for what is newer than it has seen', () => {
  const recent = new Recent(3)
  for (let index = 0; index < 10; index++) recent.ended(measurement())
  const seen = recent.list()[0]?.serial
  assert.equal(seen, 10)
  assert.deepEqual(recent.list(10), [])
  recent.ended(measurement())
  assert.deepEqual(
    recent.list(10).map(({ serial }) => serial),
    [11],
  )
  assert.equal(recent.list(1).length, 3, 'what is gone is gone')
})
