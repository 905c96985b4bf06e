// Puts tables that are made from lists in the code into their places in pages that are written by hand.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measurementTables } from '../dist/src/measurement/docs-tables.js'
import { wireTables } from '../dist/src/wire/docs-tables.js'

const place = /(<!-- made by npm run generate: (.+?) -->\n)[\s\S]*?(<!-- end -->)/g

/** Writes the pages that change. @returns their paths */
export function fillDocsTables(root) {
  const tables = new Map([...measurementTables(), ...wireTables()])
  const docs = readdirSync(join(root, 'docs'), { recursive: true }).map((name) => `docs/${name}`)
  return ['README.md', ...docs.filter((name) => name.endsWith('.md'))].filter((page) => {
    const before = readFileSync(join(root, page), 'utf8')
    const after = before.replace(place, (whole, head, name, foot) =>
      tables.has(name) ? `${head}${tables.get(name)}\n${foot}` : whole,
    )
    if (after !== before) writeFileSync(join(root, page), after)
    return after !== before
  })
}
