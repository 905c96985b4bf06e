import { test } from 'node:test'
import { aboutOf, agreements, assertAgrees, bytesOf } from '../helpers/agreement.ts'
import { decodedBody, readsOf, wireFixtures } from '../helpers/wire-fixtures.ts'

test('on every fixture as it was read, and byte by byte where it is small', () => {
  for (const fixture of wireFixtures) {
    const body = decodedBody(fixture)
    assertAgrees(
      fixture.response_headers['content-encoding'] === undefined ? readsOf(fixture) : [body],
      aboutOf(fixture),
    )
    if (body.length <= 4096) assertAgrees(bytesOf(body), aboutOf(fixture))
  }
})

for (const [name, holds] of Object.entries(agreements)) test(name, () => holds(1))
