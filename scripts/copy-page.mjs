// Puts the live page's markup and style beside its compiled modules.
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'

const from = new URL('../src/admin/page/', import.meta.url)
const to = new URL('../dist/src/admin/page/', import.meta.url)

mkdirSync(to, { recursive: true })
for (const name of readdirSync(from)) {
  if (!name.endsWith('.ts')) copyFileSync(new URL(name, from), new URL(name, to))
}
