import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluate } from '../../src/measurement/figures.ts'
import { type Reason, reasons } from '../../src/measurement/reasons.ts'
import type { StreamMeasurement } from '../../src/measurement/stream-measurement.ts'
import { type MeasurementChanges, measurement } from '../helpers/measurement.ts'

/** What makes each reason apply to the token rate; laid over each other, the first in the list must be the one given. */
const causes: [Reason, MeasurementChanges][] = [
  ['not_streamed', { streamed: false }],
  ['incomplete', { outcome: 'truncated' }],
  ['backpressure', { pausedInWindowMs: 51 }],
  ['many_choices', { output: { choices: 2 } }],
  ['no_usage', { tokens: undefined }],
  ['summarised_reasoning', { reasoningSummarised: true }],
]

const rate = (m: StreamMeasurement): Reason | undefined => evaluate(m).unmeasured['output_tokens_per_second']

test('every reason shows where it alone applies', () => {
  for (const [reason, changes] of causes) assert.equal(rate(measurement(changes)), reason)
})

test('of any two reasons that apply the one that stands first in the list is given', () => {
  for (const [first, one] of causes) {
    for (const [second, other] of causes) {
      if (first === second) continue
      const both = { ...one, ...other, output: { ...one.output, ...other.output } }
      const expected = reasons.indexOf(first) < reasons.indexOf(second) ? first : second
      assert.equal(rate(measurement(both)), expected, `${first} with ${second}`)
    }
  }
})

test('the list of reasons is the one of the definitions, each once', () => {
  assert.equal(new Set(reasons).size, reasons.length)
  assert.deepEqual(
    [...causes.map(([reason]) => reason)].sort((a, b) => reasons.indexOf(a) - reasons.indexOf(b)),
    causes.map(([reason]) => reason),
  )
})
