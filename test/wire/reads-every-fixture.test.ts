import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodedBody, type NumberedRead, readFixture, readsOf, wireFixtures } from '../helpers/wire-fixtures.ts'

for (const fixture of wireFixtures) {
  test(`reads ${fixture.name} as its author says`, () => {
    const coded = fixture.response_headers['content-encoding'] !== undefined
    const reads: NumberedRead[] = (coded ? [decodedBody(fixture)] : readsOf(fixture)).map((bytes, at) => [bytes, at])
    const said = readFixture(fixture, reads)
    const expected = { ...fixture.expect }
    // Decoding comes first, and its marks are the decoder's matter (test/stream).
    if (coded) for (const field of readFields) expected[field] = said[field]
    assertSaid(said, expected, fixture.expect_lenient)
  })
}

const readFields = ['first_token_read', 'first_reasoning_read', 'first_content_read', 'last_token_read'] as const

function assertSaid(said: object, expected: object, lenient: object | undefined): void {
  try {
    assert.deepEqual(said, expected)
  } catch (error) {
    if (lenient === undefined) throw error
    assert.deepEqual(said, { ...expected, ...lenient })
  }
}
