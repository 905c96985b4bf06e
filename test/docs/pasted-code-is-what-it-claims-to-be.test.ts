import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { loadConfig } from '../../src/config/load.ts'
import { type CodeBlock, codeBlocks, pages } from '../helpers/markdown.ts'
import { pastedEnvironment, run } from '../helpers/pasted-commands.ts'
import { startProxy } from '../helpers/proxy-under-test.ts'
import { repository } from '../helpers/repository.ts'
import { simulatedGateway } from '../helpers/simulated-gateway.ts'
import { temporaryFile, temporaryFolder } from '../helpers/temporary-folder.ts'
import { requireTool } from '../helpers/tools.ts'

type Check = (t: TestContext, code: string) => Promise<void>

/** By the word behind the fence. Shell blocks have a test file of their own; drawings and output bear no word. */
const checks: Readonly<Record<string, Check | undefined>> = {
  ts: compilesAndRuns,
  python: parsesAsPython,
  yaml: isConfiguration,
  toml: parsesAsToml,
  promql: isQuery,
  json: async (_, code) => void JSON.parse(code),
}

for (const page of pages) {
  for (const block of codeBlocks(page)) {
    if (['sh', 'bash', 'shell', 'text'].includes(block.language)) continue
    if (block.language === '') {
      test(`${page}:${block.line} is nothing to paste`, () => {
        assert.doesNotMatch(block.code, /^(npm|npx|node|curl|export|docker|git|import) /m, 'say its language')
      })
      continue
    }
    test(`${page}:${block.line} ${block.language}`, (t) => check(t, block))
  }
}

async function check(t: TestContext, { language, code }: CodeBlock): Promise<void> {
  const checked = checks[language]
  assert.ok(checked, `no check is known for ${language}: add it here`)
  await checked(t, code)
}

/** With the strictest checks; then against a simulated gateway behind the proxy. */
async function compilesAndRuns(t: TestContext, code: string): Promise<void> {
  // Below dist/, so that packages are found.
  mkdirSync(join(repository, 'dist/pasted'), { recursive: true })
  const folder = mkdtempSync(join(repository, 'dist/pasted/'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  // Our own modules are named as a test would name them.
  writeFileSync(join(folder, 'pasted.mts'), code.replaceAll("'../../src/", "'../../../src/"))
  const tsc = join(repository, 'node_modules/typescript/bin/tsc')
  const flags = [
    '--ignoreConfig',
    '--noEmit',
    '--allowImportingTsExtensions',
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2023',
    '--module',
    'nodenext',
  ]
  const compiled = await run(t, process.execPath, [tsc, ...flags, '--types', 'node', 'pasted.mts'], { cwd: folder })
  assert.equal(compiled.exitCode, 0, compiled.stdout + compiled.stderr)

  const simulator = await simulatedGateway(t)
  const proxy = await startProxy(t, simulator.url)
  const local = code
    .replaceAll('http://127.0.0.1:8484', proxy.url)
    .replaceAll('openai/gpt-4o-mini', 'sim/fast')
    .replace(/('\.\.\/\.\.\/src\/.*)\.ts'/g, "$1.js'")
  writeFileSync(join(folder, 'pasted.mjs'), local)
  const finished = await run(t, process.execPath, ['pasted.mjs'], { cwd: folder, env: pastedEnvironment() })
  assert.equal(finished.exitCode, 0, finished.stderr)
  if (!local.includes(proxy.url)) return
  assert.notEqual(finished.stdout, '')
  const m = await proxy.measurement()
  assert.deepEqual([m.outcome, m.streamed], ['ok', true])
  assert.ok(m.tokens?.output)
}

async function parsesAsPython(t: TestContext, code: string): Promise<void> {
  await python(t, 'import ast, sys; ast.parse(open(sys.argv[1]).read())', code)
}

async function parsesAsToml(t: TestContext, code: string): Promise<void> {
  // Python has it from 3.11 on.
  const script =
    'import importlib.util, sys\nif importlib.util.find_spec("tomllib"): import tomllib; tomllib.load(open(sys.argv[1], "rb"))'
  await python(t, script, code)
}

async function python(t: TestContext, script: string, code: string): Promise<void> {
  if (!requireTool(t, 'python3')) return
  const file = temporaryFile(t, 'pasted', code)
  const finished = await run(t, 'python3', ['-c', script, file], { cwd: repository })
  assert.equal(finished.exitCode, 0, finished.stderr)
}

/** A configuration of ours, or of Prometheus. */
async function isConfiguration(t: TestContext, code: string): Promise<void> {
  if (/^scrape_configs:/m.test(code)) {
    if (!requireTool(t, 'promtool')) return
    await promtool(t, 'config', code)
    return
  }
  const loaded = loadConfig({ file: temporaryFile(t, 'streamgauge.yaml', code), env: pastedEnvironment() })
  assert.deepEqual('problems' in loaded ? loaded.problems : [], [])
}

async function isQuery(t: TestContext, code: string): Promise<void> {
  if (!requireTool(t, 'promtool')) return
  const rule = JSON.stringify({ groups: [{ name: 'pasted', rules: [{ record: 'pasted', expr: code }] }] })
  await promtool(t, 'rules', rule)
}

async function promtool(t: TestContext, what: 'config' | 'rules', text: string): Promise<void> {
  const cwd = temporaryFolder(t)
  writeFileSync(join(cwd, 'pasted.yml'), text)
  const finished = await run(t, 'promtool', ['check', what, 'pasted.yml'], { cwd })
  assert.equal(finished.exitCode, 0, finished.stdout + finished.stderr)
}
