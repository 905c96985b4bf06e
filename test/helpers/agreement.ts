import assert from 'node:assert/strict'
import fc from 'fast-check'
import { damaged, generatedAnswer } from './generated-answers.ts'
import { cut, expectedOf, readAnswer, saidOf } from './read-answer.ts'
import { type AnswerAbout, referenceRead } from './reference-reader.ts'
import { decodedBody, operationOf, type WireFixture, wireFixtures } from './wire-fixtures.ts'

/** Asserts that an answer in these reads is read as the slow reference reads it, each event with its read. */
export function assertAgrees(reads: readonly Buffer[], about: AnswerAbout): void {
  assert.deepEqual(saidOf(readAnswer(reads, about)), expectedOf(referenceRead(Buffer.concat(reads), about), reads))
}

export function aboutOf(fixture: WireFixture): AnswerAbout {
  return {
    operation: operationOf(fixture.endpoint),
    status: fixture.status,
    contentType: fixture.response_headers['content-type'],
    clean: fixture.end === 'close',
  }
}

export function bytesOf(body: Buffer): Buffer[] {
  return Array.from(body, (_, at) => body.subarray(at, at + 1))
}

const cuts = fc.array(fc.nat(), { maxLength: 8 })
const harm = fc.tuple(fc.nat(), fc.nat(255), fc.constantFrom('replace', 'remove', 'cut'))
const small = wireFixtures.filter((fixture) => fixture.body.length < 10_000 && fixture.body.length > 0)

/** Properties by name; each throws with a counterexample. `scale` multiplies the runs. */
export const agreements: Readonly<Record<string, (scale: number) => void>> = {
  'on every fixture, cut at random': (scale) => {
    for (const fixture of wireFixtures) {
      const body = decodedBody(fixture)
      fc.assert(
        fc.property(cuts, (positions) => assertAgrees(cut(body, positions), aboutOf(fixture))),
        { numRuns: 8 * scale },
      )
    }
  },
  'on every fixture with bytes replaced, removed or cut off, and never throws': (scale) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...small),
        fc.array(harm, { minLength: 1, maxLength: 5 }),
        cuts,
        (fixture, harms, positions) =>
          assertAgrees(cut(damaged(decodedBody(fixture), harms), positions), aboutOf(fixture)),
      ),
      { numRuns: 600 * scale },
    )
  },
  'on generated answers of every framing, operation, status and content type': (scale) => {
    fc.assert(
      fc.property(generatedAnswer, cuts, ({ body, ...about }, positions) => assertAgrees(cut(body, positions), about)),
      { numRuns: 800 * scale },
    )
  },
  'on generated answers that come byte by byte': (scale) => {
    fc.assert(
      fc.property(generatedAnswer, ({ body, ...about }) => assertAgrees(bytesOf(body), about)),
      { numRuns: 150 * scale },
    )
  },
  'on bytes that are no answer at all': (scale) => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array))
    fc.assert(
      fc.property(bytes, generatedAnswer, cuts, (body, { body: _, ...about }, positions) =>
        assertAgrees(cut(body, positions), about),
      ),
      { numRuns: 300 * scale },
    )
  },
}
