import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertSaid, startFixtureStage, timeOf } from '../helpers/fixture-exchange.ts'
import { readsOf, wireFixtures } from '../helpers/wire-fixtures.ts'

test('every fixture, read by read: the bytes, and every field', { timeout: 60_000 }, async (t) => {
  const stage = await startFixtureStage(t)
  for (const fixture of wireFixtures) {
    await t.test(fixture.name, async () => {
      const told = await stage.play(fixture, readsOf(fixture))
      assertSaid(told, fixture)
      const { marks } = told.m
      const after = (mark: number | undefined): number | undefined =>
        mark === undefined ? undefined : mark - marks.received
      assert.deepEqual(
        [marks.firstToken, marks.firstReasoning, marks.firstAnswer, marks.lastToken].map(after),
        [
          fixture.expect.first_token_read,
          fixture.expect.first_reasoning_read,
          fixture.expect.first_content_read,
          fixture.expect.last_token_read,
        ].map(timeOf),
      )
      const logged = told.line['marks'] as Record<string, number | null>
      assert.equal(logged['first_token'], timeOf(fixture.expect.first_token_read) ?? null)
    })
  }
  assert.deepEqual(stage.replay.proxy.faults, [])
})

test('byte by byte the small ones say the same', { timeout: 120_000 }, async (t) => {
  const stage = await startFixtureStage(t)
  for (const fixture of wireFixtures.filter(({ body }) => body.length <= 350)) {
    const pieces = Array.from(fixture.body, (_, at) => fixture.body.subarray(at, at + 1))
    await t.test(fixture.name, async () => assertSaid(await stage.play(fixture, pieces), fixture))
  }
})

test('however the reads are cut, everything but the times is the same', { timeout: 120_000 }, async (t) => {
  const stage = await startFixtureStage(t)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...wireFixtures),
      fc.uniqueArray(fc.nat({ max: 1_000_000 }), { maxLength: 12 }),
      async (fixture, cuts) => {
        const { body } = fixture
        const ends = [...new Set(cuts.map((cut) => 1 + (cut % Math.max(1, body.length))))].sort((a, b) => a - b)
        const places = [0, ...ends.filter((end) => end < body.length), body.length]
        const pieces = places.slice(1).map((end, index) => body.subarray(places[index], end))
        assertSaid(await stage.play(fixture, body.length === 0 ? [] : pieces), fixture)
      },
    ),
    { numRuns: 100 },
  )
})
