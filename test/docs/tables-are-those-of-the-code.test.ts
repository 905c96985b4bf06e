import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measurementTables } from '../../src/measurement/docs-tables.ts'
import { definitionsVersion } from '../../src/measurement/figures.ts'
import { outcomes } from '../../src/measurement/outcomes.ts'
import { reasons } from '../../src/measurement/reasons.ts'
import { wireTables } from '../../src/wire/docs-tables.ts'
import { pages, tableRows } from '../helpers/markdown.ts'
import { measurement } from '../helpers/measurement.ts'
import { readSource } from '../helpers/repository.ts'

const made = /<!-- made by npm run generate: (.+?) -->\n([\s\S]*?)\n?<!-- end -->/g

const tables = new Map([...measurementTables(), ...wireTables()])

const places = pages.flatMap((page) =>
  [...readSource(page).matchAll(made)].map((match) => ({ page, name: match[1] as string, text: match[2] as string })),
)

for (const { page, name, text } of places) {
  test(`${page}: the table of ${name} is up to date`, () => {
    assert.equal(text, tables.get(name), `${page} is out of date: npm run generate`)
  })
}

test('every table has its place', () => {
  const placed = new Set(places.map(({ name }) => name))
  assert.deepEqual(
    [...tables.keys()].filter((name) => !placed.has(name)),
    [],
  )
})

const measuring = 'docs/measuring.md'
const names = (firstHead: string, columns: number): string[] =>
  tableRows(measuring, firstHead, columns).map(([name]) => (name as string).replaceAll('`', ''))

test('all reasons, in their order', () => {
  assert.deepEqual(names('reason', 3), reasons)
})

test('all outcomes, in their order', () => {
  assert.deepEqual(names('outcome', 2), outcomes)
})

test('all marks', () => {
  assert.deepEqual(names('mark', 2).sort(), Object.keys(measurement().marks).sort())
})

test('the version of the definitions', () => {
  assert.match(readSource(measuring), new RegExp(`They are version ${definitionsVersion} `))
})
