// Runs the compiled tests with node:test. An explicit list of files: globs fail on Node 20, folders on Node 22.
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const words = process.argv.slice(2)
const long = words.includes('--long')
// Files whose path begins so are left out: `--without=monitoring/`.
const without = words.filter((word) => word.startsWith('--without=')).map((word) => word.slice('--without='.length))
const filters = words.filter((word) => !word.startsWith('--'))

const sources = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .filter((name) => name.endsWith('.long.test.ts') === long)
  .filter((name) => filters.length === 0 || filters.some((filter) => name.includes(filter)))
  .filter((name) => !without.some((beginning) => name.startsWith(beginning)))
  .sort()
if (sources.length === 0) {
  console.error(`no test file matches ${JSON.stringify(filters)}`)
  process.exit(1)
}
const files = sources.map((name) => relative(process.cwd(), join(root, 'dist/test', name.replace(/\.ts$/, '.js'))))
const child = spawn(
  process.execPath,
  [
    '--enable-source-maps',
    '--test',
    '--test-concurrency=2',
    ...(long ? [] : ['--test-timeout=300000']),
    `--test-reporter=${process.env.TEST_REPORTER ?? 'spec'}`,
    ...files,
  ],
  { cwd: root, stdio: 'inherit' },
)
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
