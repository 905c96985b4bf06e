// Writes the files that are made from lists in the code. Each module below exports `generatedFiles()`: path → content.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generatedFiles as fromConfig } from '../dist/src/config/generated-files.js'
import { generatedFiles as fromMonitoring } from '../dist/src/monitoring/generated-files.js'
import { generatedFiles as fromReport } from '../dist/src/report/generated-files.js'
import { fillDocsTables } from './fill-docs-tables.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

for (const generatedFiles of [fromConfig, fromReport, fromMonitoring]) {
  for (const [path, content] of generatedFiles()) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
    console.log(path)
  }
}

for (const page of fillDocsTables(root)) console.log(page)
