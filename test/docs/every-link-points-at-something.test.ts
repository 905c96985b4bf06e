import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { test } from 'node:test'
import { anchors, linkTargets, pages } from '../helpers/markdown.ts'
import { repository } from '../helpers/repository.ts'

for (const page of pages) {
  test(`links of ${page}`, () => {
    const broken = linkTargets(page).filter((target) => !isThere(page, target))
    assert.deepEqual(broken, [])
  })
}

function isThere(page: string, target: string): boolean {
  if (/^(https?|mailto):/.test(target)) return true
  const [path, anchor] = target.split('#') as [string, string | undefined]
  const file = path === '' ? page : posix.join(dirname(page), path)
  if (!existsSync(join(repository, file))) return false
  return anchor === undefined || anchors(file).has(anchor)
}

test('every page of docs/ can be found from the README', () => {
  const reached = new Set<string>()
  const visit = (page: string): void => {
    if (reached.has(page)) return
    reached.add(page)
    for (const target of linkTargets(page)) {
      const path = target.split('#')[0] as string
      if (path.endsWith('.md') && !path.includes(':')) visit(posix.join(dirname(page), path))
    }
  }
  visit('README.md')
  assert.deepEqual(
    pages.filter((page) => !reached.has(page)),
    [],
  )
})
