import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { models } from '../../src/simulator/models.ts'
import { operationEntries } from '../../src/simulator/operations.ts'
import { plainScript } from '../../src/simulator/script.ts'
import { beginTruth } from '../../src/simulator/truth.ts'

const page = readFileSync(new URL('../../../docs/simulator.md', import.meta.url), 'utf8')

/** First cells of the rows of a section's tables. */
function firstCells(heading: string): string[] {
  const section = page.split(`## ${heading}\n`)[1]!.split('\n## ')[0]!
  return section.split('\n').flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? [])
}

const names = (cells: string[]) => cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!))

test('every model is described as in the code', () => {
  for (const { name, about } of models) assert.ok(page.includes(`\n| \`${name}\` | ${about} |\n`), name)
  assert.deepEqual(
    names(firstCells('Models')),
    models.map(({ name }) => name),
  )
})

test('every field of a script is described, and no other', () => {
  assert.deepEqual(names(firstCells('Scripts')).sort(), Object.keys(plainScript).sort())
})

test('every operation and every field of the truth is named', () => {
  for (const { path } of operationEntries) assert.ok(page.includes(path.startsWith('/api') ? path : `/v1${path}`), path)
  const truth = beginTruth('id', 'POST', '/')
  const fields = [truth, truth.written, truth.chars, truth.tokens].flatMap(Object.keys)
  for (const field of fields) if (field !== 'provider') assert.ok(page.includes(`"${field}":`), field)
})
