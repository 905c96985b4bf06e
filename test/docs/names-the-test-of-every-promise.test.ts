import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSource, repository } from '../helpers/repository.ts'

test('docs/reliability.md names every replay, and no other', () => {
  const named = [...readSource('docs/reliability.md').matchAll(/`(b\d\d-[a-z0-9-]+)`/g)].map(([, name]) => name)
  const there = readdirSync(join(repository, 'test/replays'))
    .filter((file) => /^b\d\d-.*\.test\.ts$/.test(file))
    .map((file) => file.replace(/(\.long)?\.test\.ts$/, ''))
  assert.deepEqual(named.toSorted(), [...new Set(there)].toSorted())
})
