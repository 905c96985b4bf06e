import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { commands } from '../../src/cli/commands.ts'
import { parse } from '../../src/cli/parse.ts'
import { readCompose } from '../helpers/compose.ts'
import { renderKustomization } from '../helpers/kustomize.ts'
import { type CodeBlock, codeBlocks, pages } from '../helpers/markdown.ts'
import { commandsOf, pastedEnvironment, program, run, wordsOf } from '../helpers/pasted-commands.ts'
import { type ProxyUnderTest, startProxy } from '../helpers/proxy-under-test.ts'
import { readSource } from '../helpers/repository.ts'
import { simulatedGateway } from '../helpers/simulated-gateway.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { requireTool } from '../helpers/tools.ts'

const shells = new Set(['sh', 'bash', 'shell'])
/** Not started here: they take minutes, and tests of their own start them. */
const tooLong = new Set(['demo', 'bench', 'compare'])
/** Run until they are stopped; what they print once they run. */
const longRunning: Readonly<Record<string, RegExp>> = { serve: /"msg":"listening"/, simulate: /^base_url/m }
const scripts = (JSON.parse(readSource('package.json')) as { scripts: Record<string, string> }).scripts

for (const page of pages) {
  const blocks = codeBlocks(page)
  for (const [index, block] of blocks.entries()) {
    if (!shells.has(block.language)) continue
    test(`${page}:${block.line} ${block.code.split('\n')[0]}`, async (t) => {
      const folder = temporaryFolder(t)
      const file = blocks.slice(0, index).findLast(isConfiguration)
      if (file !== undefined) writeFileSync(join(folder, 'streamgauge.yaml'), file.code)
      for (const command of commandsOf(block.code)) {
        if (/^npm\b/.test(command)) await isNpmScript(command)
        else if (/^(npx streamgauge|node dist\/src\/main\.js)\b/.test(command)) await runsOurs(t, command, folder)
        else if (/^node scripts\//.test(command)) readSource(wordsOf(command)[1] as string)
        else if (/^docker\b/.test(command)) await isDocker(command)
        else if (/^kubectl\b/.test(command)) isKubectl(command)
        else if (command === 'cp .env.example .env') readSource('.env.example')
        else await runsInShell(t, command, folder)
      }
    })
  }
}

function isConfiguration(block: CodeBlock): boolean {
  return /^ya?ml$/.test(block.language) && /^gateways:/m.test(block.code)
}

/** `npm ci`, `npm test`, `npm start -- …`, `npm run NAME -- …`: not run here (they would run this), but they must be there. */
async function isNpmScript(command: string): Promise<void> {
  const [, verb, ...rest] = wordsOf(command)
  if (verb === 'ci' || verb === 'install' || verb === 'i') return
  const name = verb === 'run' ? (rest.shift() as string) : (verb as string)
  assert.ok(scripts[name], `package.json has no script ${name}`)
  const ours = / dist\/src\/main\.js (\S+)$/.exec(scripts[name])?.[1]
  if (rest[0] === '--' && ours !== undefined) await isUnderstood(ours, rest.slice(1))
}

/** The command is in the table, with these options and operands. */
async function isUnderstood(name: string, words: readonly string[]): Promise<void> {
  if (name.startsWith('-')) return
  const entry = commands.find((command) => command.name === name)
  assert.ok(entry, `there is no command ${name}`)
  const parsed = parse(words, await entry.load())
  assert.deepEqual('faults' in parsed ? parsed.faults : [], [])
}

/** No engine is needed to tell whether what it would be asked for is there. */
async function isDocker(command: string): Promise<void> {
  const [, verb, ...words] = wordsOf(command)
  if (verb === 'compose') {
    const profile = words[words.indexOf('--profile') + 1]
    if (words.includes('--profile'))
      assert.ok(Object.values(readCompose().services).some(({ profiles }) => profiles?.includes(profile as string)))
  } else if (verb === 'run') {
    const [name, ...rest] = words.slice(words.indexOf('streamgauge') + 1)
    await isUnderstood(name as string, rest)
  } else {
    assert.deepEqual([verb, ...words], ['build', '--tag', 'streamgauge', '.'])
    readSource('Dockerfile')
  }
}

/** Nor a cluster: folders must render, objects must be there. */
function isKubectl(command: string): void {
  const example = renderKustomization('deploy/kubernetes/overlays/example')
  const words = wordsOf(command).slice(1)
  if (words[0] === '--namespace') assert.equal(words.splice(0, 2)[1], example[0]?.metadata.name)
  const [verb, what, name] = words as [string, string, string?]
  if (verb === 'kustomize') renderKustomization(what)
  else if (verb === 'apply' && what === '-k') renderKustomization(name as string)
  else if (verb === 'create' && what === 'namespace') assert.equal(name, example[0]?.metadata.name)
  else if (verb === 'create' && what === 'secret')
    assert.match(command, / secret generic streamgauge --from-literal=ADMIN_TOKEN=/)
  else {
    assert.deepEqual([verb, what], ['port-forward', 'deployment/streamgauge'])
    const pod = example.find(({ kind }) => kind === 'Deployment')?.['spec'].template.spec
    assert.ok(pod.containers[0].ports.some((port: { containerPort: number }) => String(port.containerPort) === name))
  }
}

async function runsOurs(t: TestContext, command: string, folder: string): Promise<void> {
  const [name, ...words] = wordsOf(command.replace(/^(npx streamgauge|node dist\/src\/main\.js)\s*/, '')) as [
    string,
    ...string[],
  ]
  await isUnderstood(name, words)
  if (tooLong.has(name) && !words.includes('--help')) return
  const stopAt = words.includes('--help') ? undefined : longRunning[name]
  const free = words.map((word, at) => (words[at - 1] === '--port' ? '0' : word))
  const finished = await run(t, process.execPath, [program, name, ...free], {
    cwd: folder,
    env: pastedEnvironment(),
    ...(stopAt && { stopAt }),
  })
  assert.equal(finished.exitCode, 0, finished.stdout + finished.stderr)
}

/** Against a proxy in front of a simulated gateway, in place of the addresses and the model that the docs name. */
async function runsInShell(t: TestContext, command: string, folder: string): Promise<void> {
  for (const tool of ['bash', 'curl', 'sha256sum'])
    if ((tool === 'bash' || command.includes(tool)) && !requireTool(t, tool)) return
  const simulator = await simulatedGateway(t)
  const proxy = await startProxy(t, simulator.url)
  await firstRequest(proxy)
  const script = command
    .replaceAll('http://127.0.0.1:8484', proxy.url)
    .replaceAll('http://127.0.0.1:9484', proxy.service.adminUrl.replace(/\/$/, ''))
    .replaceAll('http://127.0.0.1:8585', simulator.url.replace(/\/v1$/, ''))
    .replaceAll('openai/gpt-4o-mini', 'sim/fast')
  const finished = await run(t, 'bash', ['-euo', 'pipefail', '-c', script], { cwd: folder })
  // Some show how a stream breaks: curl says so.
  const breaks = /"fail": ?"(reset|truncate)"/.test(script)
  assert.equal(finished.exitCode !== 0, breaks, finished.stderr)
  if (/^export /.test(command)) return
  assert.notEqual(finished.stdout, '')
  if (!script.includes(`${proxy.url}/`)) return
  const m = await proxy.measurement(1)
  assert.deepEqual([m.status, m.outcome], [200, 'ok'])
  if (!script.includes('include_usage')) return
  assert.ok(finished.stdout.endsWith('data: [DONE]\n\n'))
  assert.ok(m.marks.firstToken !== undefined && m.tokens?.output)
}

/** So that there is something to see. */
async function firstRequest(proxy: ProxyUnderTest): Promise<void> {
  const sim = { ttftMs: 1, tokens: 20, tokensPerSecond: 2000 }
  const answer = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim/fast', messages: [], stream: true, sim }),
  })
  await answer.text()
  await proxy.measurement(0)
}

test('the README has one command for the demo and one for the tests', () => {
  const readme = codeBlocks('README.md')
    .filter(({ language }) => shells.has(language))
    .map(({ code }) => code)
  assert.deepEqual(
    readme.filter((code) => /\bnpm\b/.test(code)),
    ['npm ci && npm run demo', 'npm test'],
  )
})
