import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reasonTexts } from '../../src/measurement/reasons.ts'
import type { StreamMeasurement } from '../../src/measurement/stream-measurement.ts'
import { adviseOn } from '../../src/report/advice.ts'
import { Recent } from '../../src/report/recent.ts'
import { measurement, passedThrough } from '../helpers/measurement.ts'

function advise(exchanges: readonly StreamMeasurement[], stalls: Parameters<typeof adviseOn>[1] = []) {
  const recent = new Recent()
  for (const exchange of exchanges) recent.ended(exchange)
  return adviseOn(recent.list(), stalls)
}

const times = (count: number, make: () => StreamMeasurement) => Array.from({ length: count }, make)
const named = (app: string, changes: Parameters<typeof measurement>[0] = {}) =>
  measurement({ ...changes, identity: { app, ...changes.identity } })
const burst = {
  events: 40,
  chunks: 1,
  chars: 160,
  firstChunkEvents: 40,
  firstChunkChars: 160,
  firstChunkTokens: undefined,
}

test('nothing is said where everything could be measured', () => {
  assert.deepEqual(advise([]), [])
  assert.deepEqual(advise([...times(50, () => named('shop')), passedThrough()]), [])
})

test('an app that asks for no usage is named, with how often and what to do', () => {
  const advice = advise([
    ...times(7, () => named('shop')),
    ...times(43, () => named('shop', { tokens: undefined, identity: { id: 'x' } })),
  ])
  assert.deepEqual(advice, [
    {
      severity: 'warning',
      kind: 'app',
      name: 'shop',
      what: '43 of 50 exchanges have no token rates',
      ...reasonTexts.no_usage,
      example: 'x',
      at: null,
    },
  ])
})

test('a gateway that buffers is named', () => {
  const held = () =>
    named('shop', {
      identity: { gateway: 'west' },
      marks: { lastToken: 1501 },
      output: { all: burst, answer: burst },
      gaps: [],
    })
  const [advice] = advise([...times(10, held), ...times(10, () => named('shop'))])
  assert.equal(advice?.kind, 'gateway')
  assert.equal(advice?.name, 'west')
  assert.equal(advice?.what, '10 of 10 exchanges arrived in a burst and have no rates')
})

test('a few among many, and once or twice, are not worth a line', () => {
  assert.deepEqual(advise(times(2, () => named('shop', { tokens: undefined }))), [])
  assert.deepEqual(
    advise([...times(4, () => named('shop', { tokens: undefined })), ...times(46, () => named('shop'))]),
    [],
  )
})

test('warnings stand before notes', () => {
  const advice = advise([
    ...times(5, () => named('batch', { streamed: false })),
    ...times(5, () => named('shop', { tokens: undefined })),
  ])
  assert.deepEqual(
    advice.map(({ severity, name }) => [severity, name]),
    [
      ['warning', 'shop'],
      ['note', 'batch'],
    ],
  )
})

test('exchanges without an app, and measuring that failed, are told of', () => {
  const advice = advise([
    ...times(3, () => measurement()),
    named('shop', { measurementErrors: ['json'], identity: { id: 'broken' } }),
  ])
  assert.match(advice[0]?.what ?? '', /failed in part in 1 of 4 exchanges \(json\)/)
  assert.equal(advice[0]?.example, 'broken')
  assert.equal(advice[1]?.what, '3 of 4 exchanges name no app')
})

test('stalls of the event loop are one line, with the longest', () => {
  const stall = (seconds: number) => ({ seconds, at: 1, wallClock: seconds * 1e6 })
  const [advice, ...more] = advise([], [stall(0.06), stall(0.12), stall(0.07), stall(0.01)])
  assert.equal(advice?.what, 'the event loop stood still 3 times, the longest 120 ms')
  assert.equal(advice?.at, 120_000)
  assert.deepEqual(more, [])
})
