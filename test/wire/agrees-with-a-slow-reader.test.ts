import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { damaged, generatedAnswer } from '../helpers/generated-answers.ts'
import { cut, expectedOf, readAnswer, saidOf } from '../helpers/read-answer.ts'
import { type AnswerAbout, referenceRead } from '../helpers/reference-reader.ts'
import { decodedBody, operationOf, readsOf, type WireFixture, wireFixtures } from '../helpers/wire-fixtures.ts'

function assertAgrees(reads: readonly Buffer[], about: AnswerAbout): void {
  assert.deepEqual(saidOf(readAnswer(reads, about)), expectedOf(referenceRead(Buffer.concat(reads), about), reads))
}

function aboutOf(fixture: WireFixture): AnswerAbout {
  return {
    operation: operationOf(fixture.endpoint),
    status: fixture.status,
    contentType: fixture.response_headers['content-type'],
    clean: fixture.end === 'close',
  }
}

function bytesOf(body: Buffer): Buffer[] {
  return Array.from(body, (_, at) => body.subarray(at, at + 1))
}

test('on every fixture: as read, byte by byte where it is small, and cut at random', () => {
  for (const fixture of wireFixtures) {
    const about = aboutOf(fixture)
    const body = decodedBody(fixture)
    assertAgrees(fixture.response_headers['content-encoding'] === undefined ? readsOf(fixture) : [body], about)
    if (body.length <= 4096) assertAgrees(bytesOf(body), about)
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 12 }), (positions) => assertAgrees(cut(body, positions), about)),
      { numRuns: 10 },
    )
  }
})

test('on every fixture with bytes replaced, removed or cut off, and never throws', () => {
  const small = wireFixtures.filter((fixture) => fixture.body.length < 10_000 && fixture.body.length > 0)
  fc.assert(
    fc.property(
      fc.constantFrom(...small),
      fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.constantFrom('replace', 'remove', 'cut')), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.array(fc.nat(), { maxLength: 4 }),
      (fixture, harm, positions) => assertAgrees(cut(damaged(decodedBody(fixture), harm), positions), aboutOf(fixture)),
    ),
    { numRuns: 2000 },
  )
})

test('on generated answers of every framing, operation, status and content type', () => {
  fc.assert(
    fc.property(generatedAnswer, fc.array(fc.nat(), { maxLength: 8 }), ({ body, ...about }, positions) =>
      assertAgrees(cut(body, positions), about),
    ),
    { numRuns: 3000 },
  )
})

test('on generated answers that come byte by byte', () => {
  fc.assert(
    fc.property(generatedAnswer, ({ body, ...about }) => assertAgrees(bytesOf(body), about)),
    { numRuns: 500 },
  )
})

test('on bytes that are no answer at all', () => {
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array))
  fc.assert(
    fc.property(
      bytes,
      generatedAnswer,
      fc.array(fc.nat(), { maxLength: 4 }),
      (body, { body: _, ...about }, positions) => assertAgrees(cut(body, positions), about),
    ),
    { numRuns: 1000 },
  )
})
