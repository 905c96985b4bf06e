import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figures } from '../../src/measurement/figures.ts'
import { generation } from '../../src/measurement/rates.ts'
import type { StreamMeasurement } from '../../src/measurement/stream-measurement.ts'
import { workOut } from '../../src/measurement/worked-figure.ts'
import { arithmetic } from '../helpers/arithmetic.ts'
import { measurement, withoutOutput } from '../helpers/measurement.ts'

/** Each figure that has a value: its value, and its formula with the numbers put in. */
function worked(m: StreamMeasurement) {
  const g = generation(m)
  return figures.flatMap((figure) => {
    const value = figure.of(m, g)
    return typeof value === 'number' ? [{ name: figure.name, value, work: workOut(figure, m, g) }] : []
  })
}

const phase = {
  events: 40,
  chunks: 40,
  chars: 160,
  firstChunkEvents: 1,
  firstChunkChars: 4,
  firstChunkTokens: undefined,
}
const all = { ...phase, events: 60, chunks: 60, chars: 200 }

const cases: Readonly<Record<string, StreamMeasurement>> = {
  'a plain stream': measurement(),
  'summarised reasoning': measurement({
    marks: { firstReasoning: 1501, firstAnswer: 2001 },
    output: { all, answer: phase, reasoningChars: 40, contentChars: 160 },
    tokens: { input: 10, cachedInput: undefined, cacheWriteInput: undefined, output: 141, reasoning: 100 },
  }),
  'not streamed': measurement({ streamed: false, ...withoutOutput, tokens: measurement().tokens }),
  'refused before it was sent': measurement({
    outcome: 'rejected',
    ...withoutOutput,
    marks: { ...withoutOutput.marks, bodyReceived: undefined, dispatched: undefined, sent: undefined },
  }),
  'a client that left before the first token': measurement({ outcome: 'client_abort', ...withoutOutput }),
}

/** The record holds their result alone. */
const withoutTerms = ['mark_uncertainty_seconds', 'longest_stall_seconds']

for (const [name, m] of Object.entries(cases)) {
  test(`${name}: each formula gives its figure`, () => {
    const found = worked(m)
    assert.ok(found.length > 0)
    for (const { name, value, work } of found) {
      if (withoutTerms.includes(name)) {
        assert.equal(work, undefined, name)
        continue
      }
      assert.ok(work !== undefined, name)
      const result = arithmetic(work.numbers)
      // The numbers are shown to the microsecond.
      assert.ok(Math.abs(result - value) <= 2e-6 + Math.abs(value) * 1e-4, `${name}: ${work.numbers} is not ${value}`)
    }
  })
}

test('the window of summarised reasoning begins with the answer, and the formula says so', () => {
  const m = cases['summarised reasoning'] as StreamMeasurement
  const rate = worked(m).find(({ name }) => name === 'output_tokens_per_second')
  assert.equal(rate?.work?.expression, '(N - N1) / (lastToken - firstAnswer)')
})
