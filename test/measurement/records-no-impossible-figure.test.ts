import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { evaluate, figures } from '../../src/measurement/figures.ts'
import { outcomes } from '../../src/measurement/outcomes.ts'
import { reasons } from '../../src/measurement/reasons.ts'
import type { PhaseCounts } from '../../src/measurement/stream-measurement.ts'
import { measurement } from '../helpers/measurement.ts'

const count = fc.oneof(fc.nat(5), fc.nat(5000))
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined })
const phase: fc.Arbitrary<PhaseCounts> = fc
  .record({ events: count, chunks: count, chars: count, one: count, c1: count, tokens: maybe(count) })
  .map(({ events, chunks, chars, one, c1, tokens }) => ({
    events,
    chunks: Math.min(events, chunks),
    chars,
    firstChunkEvents: Math.min(events, one),
    firstChunkChars: Math.min(chars, c1),
    firstChunkTokens: tokens,
  }))

test('no record whatever yields a figure that is negative or no number, and what is missing has a known reason', () => {
  fc.assert(
    fc.property(
      fc.record({
        times: fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e6, noNaN: true })), {
          minLength: 6,
          maxLength: 6,
        }),
        present: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
        streamed: fc.boolean(),
        outcome: fc.constantFrom(...outcomes),
        all: phase,
        answer: phase,
        reasoningChars: count,
        tokens: maybe(
          fc.record({
            input: maybe(count),
            cachedInput: maybe(count),
            cacheWriteInput: maybe(count),
            output: maybe(count),
            reasoning: maybe(count),
          }),
        ),
        pausedInWindowMs: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1000, noNaN: true })),
        choices: fc.nat(3),
        reasoningSummarised: fc.boolean(),
        decoding: fc.constantFrom('plain' as const, 'decoded' as const, 'not_decoded' as const),
        gaps: fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { maxLength: 5 }),
      }),
      (r) => {
        const [dispatched, headers, firstToken, firstAnswer, lastToken, ended] = [...r.times].sort((a, b) => a - b) as [
          number,
          number,
          number,
          number,
          number,
          number,
        ]
        const is = (index: number, value: number): number | undefined => (r.present[index] ? value : undefined)
        const hasToken = r.present[2] === true
        const m = measurement({
          streamed: r.streamed,
          outcome: r.outcome,
          tokens: r.tokens,
          pausedInWindowMs: r.pausedInWindowMs,
          reasoningSummarised: r.reasoningSummarised,
          decoding: r.decoding,
          gaps: r.gaps,
          marks: {
            received: 0,
            bodyReceived: 0,
            dispatched: is(0, dispatched) ?? (hasToken ? dispatched : undefined),
            sent: is(1, dispatched),
            headers: is(1, headers),
            firstByte: is(1, headers),
            firstToken: hasToken ? firstToken : undefined,
            firstAnswer: hasToken ? is(3, firstAnswer) : undefined,
            lastToken: hasToken ? lastToken : undefined,
            firstTokenForwarded: hasToken ? is(4, firstToken) : undefined,
            ended,
          },
          output: { all: r.all, answer: r.answer, reasoningChars: r.reasoningChars, choices: r.choices },
        })
        const { figures: found, unmeasured } = evaluate(m)
        for (const [name, value] of Object.entries(found)) {
          assert.ok(Number.isFinite(value) && value >= 0, `${name} = ${value}`)
          assert.equal(unmeasured[name], undefined, `${name} is both measured and not`)
        }
        for (const reason of Object.values(unmeasured)) assert.ok(reasons.includes(reason))
        const rate = found['output_tokens_per_second']
        if (rate !== undefined) assert.ok(rate > 0)
        if (found['time_to_first_token_seconds'] === undefined)
          assert.ok(unmeasured['time_to_first_token_seconds'] !== undefined)
      },
    ),
    { numRuns: 2000 },
  )
})

test('figures have names, units, help and formulas of their own', () => {
  assert.equal(new Set(figures.map(({ name }) => name)).size, figures.length)
  for (const figure of figures) {
    assert.match(figure.name, /^[a-z_]+$/)
    assert.ok(figure.help.length > 20 && figure.formula.length > 0)
    assert.ok(
      figure.buckets === undefined ||
        figure.buckets.every((bound, i, all) => i === 0 || bound > (all[i - 1] as number)),
    )
  }
})
