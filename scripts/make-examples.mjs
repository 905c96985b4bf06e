// Makes the examples of docs/bench.md from real runs against the simulator. Takes about eight minutes; best on a machine that does nothing else.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const program = join(root, 'dist/src/main.js')
const folder = mkdtempSync(join(tmpdir(), 'streamgauge-examples-'))
const sim = 'simulator=http://127.0.0.1:8585/v1'

const examples = [
  {
    title: 'Models side by side',
    about:
      'Six models of one gateway, measured in turns. `--html` writes the same with pictures: [bench-example.html](bench-example.html).',
    commands: [
      `bench --base-url ${sim} --model sim/fast --model sim/frontier --model sim/reasoning --model sim/hidden-reasoning --model sim/slow-start --model sim/bursty --prompt-mode uncached --decide interactive --json models.json --html bench-example.html`,
    ],
  },
  {
    title: 'A prompt that repeats',
    about: 'The same context of a thousand tokens with a nonce before it, and without one.',
    commands: [`bench --base-url ${sim} --model sim/cached --prompt 1k --cache-hint cache_control`],
  },
  {
    title: 'Under load',
    about: 'Closed loops of one to eight streams, then open loops of one and of four requests a second.',
    commands: [
      `bench --base-url ${sim} --model sim/loaded --prompt-mode uncached --concurrency 1,2,4,8 --rate 1,4 --requests 32`,
    ],
  },
  {
    title: 'What the proxy costs',
    about: 'Directly and through the proxy, in turns; from 59 kept runs on there is a p95.',
    commands: [
      'bench --base-url direct=http://127.0.0.1:8585/v1 --base-url proxy=http://127.0.0.1:8484/v1 --model sim/fast --prompt-mode uncached --runs 100 --max-tokens 50',
    ],
  },
  {
    title: 'Before and after',
    about: 'Between the two runs the time to first token of the model grew by half.',
    commands: [
      `bench --base-url ${sim} --model sim/frontier --prompt-mode uncached --runs 21 --max-tokens 40 --json before.json`,
      `bench --base-url ${sim} --model sim/frontier --prompt-mode uncached --runs 21 --max-tokens 40 --json after.json`,
      'compare before.json after.json',
    ],
    onlyLast: true,
    between: (address) =>
      fetch(`${address}/sim/slow`, { method: 'POST', body: JSON.stringify({ model: 'sim/frontier', factor: 1.5 }) }),
  },
]

/** Starts a program that runs until it is stopped; resolves with what it said once that matches. */
async function startUntil(words, said) {
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  for await (const part of child.stdout) {
    text += part
    const found = said.exec(text)
    if (found === null) continue
    child.stdout.resume()
    return { child, found: found[1] }
  }
  throw new Error(`${words[0]} did not start`)
}

/** Runs a command of an example; addresses are put in for the usual ones. */
function run(command, addresses) {
  let line = command
  for (const [usual, real] of Object.entries(addresses)) line = line.replaceAll(usual, real)
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...line.split(' ')], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.on('data', (part) => {
      text += part
    })
    child.on('close', (code) => (code === 2 ? reject(new Error(command)) : resolve({ code, text })))
  })
}

async function makeExample({ title, about, commands, onlyLast, between }, addresses) {
  const parts = []
  for (const [index, command] of commands.entries()) {
    console.error(`streamgauge ${command}`)
    if (index === 1) await between?.(addresses['http://127.0.0.1:8585'])
    const { code, text } = await run(command, addresses)
    const isShown = !onlyLast || index === commands.length - 1
    if (isShown) parts.push(`\`\`\`text\n${text.trimEnd()}\n\`\`\`${code === 0 ? '' : `\n\nExit code ${code}.`}`)
  }
  const shell = commands.map((command) => `npx streamgauge ${command}`).join('\n')
  return `## ${title}\n\n${about}\n\n\`\`\`sh\n${shell}\n\`\`\`\n\n${parts.join('\n\n')}\n`
}

const median = (values) => {
  const sorted = values.filter((value) => Number.isFinite(value)).sort((a, b) => a - b)
  return sorted.length === 0 ? undefined : (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2
}
const show = (value) => (value === undefined ? '–' : value.toFixed(value < 10 ? 2 : 0))

/** What little scripts divide, beside what was measured and what the simulator did. */
async function oneNumber(address) {
  const { exchanges } = JSON.parse(readFileSync(join(folder, 'models.json'), 'utf8'))
  const truths = new Map((await (await fetch(`${address}/sim/truths`)).json()).map((truth) => [truth.id, truth]))
  const kept = exchanges.filter(({ left, outcome }) => left === null && outcome === 'ok')
  const rows = [...new Set(kept.map(({ model }) => model))].map((model) => {
    const own = kept.filter((exchange) => exchange.model === model)
    const of = (value) => show(median(own.map(value)))
    const did = ({ gatewayRequestId }) => {
      const { written, marks } = truths.get(gatewayRequestId)
      return ((written.tokens - written.firstWriteTokens) * 1000) / (marks.lastToken - marks.firstToken)
    }
    return [
      model,
      of(({ tokens, figures }) => tokens.output / figures.request_duration_seconds),
      of(({ tokens, marks }) => (tokens.output * 1000) / (marks.lastToken - marks.firstToken)),
      of(({ output, marks }) => ((output.chunks - 1) * 1000) / (marks.lastToken - marks.firstToken)),
      of(({ figures }) => figures.output_tokens_per_second),
      of(did),
      `${of(({ figures }) => figures.time_to_first_token_seconds)} s`,
    ]
  })
  const head = [
    'model',
    'tokens by whole time',
    'tokens by time after the first',
    'chunks by time after the first',
    '**tok/s**',
    'the simulator did',
    '**TTFT**',
  ]
  return [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')
}

const simulator = await startUntil(['simulate', '--port', '0'], /^base_url +(\S+)\/v1\n/m)
const proxy = await startUntil(
  ['serve', '--gateway', `${simulator.found}/v1`, '--port', '0', '--admin-port', '0'],
  /"proxy_url":"([^"]+)"/,
)
const addresses = { 'http://127.0.0.1:8585': simulator.found, 'http://127.0.0.1:8484': proxy.found }
try {
  const made = []
  for (const [index, example] of examples.entries()) {
    made.push(await makeExample(example, addresses))
    if (index === 0) {
      const table = await oneNumber(simulator.found)
      const page = join(root, 'docs/bench.md')
      const place = /(<!-- made by npm run examples -->\n)[\s\S]*?(<!-- end -->)/
      writeFileSync(
        page,
        readFileSync(page, 'utf8').replace(place, (_, from, to) => `${from}${table}\n${to}`),
      )
      writeFileSync(join(root, 'docs/bench-example.html'), readFileSync(join(folder, 'bench-example.html')))
    }
  }
  const before = `# Examples of the bench

<!-- Made by \`npm run examples\` from runs against the simulator: change scripts/make-examples.mjs. -->

How to read them: [the bench](bench.md). The simulator of these commands is \`streamgauge simulate\`, the proxy \`streamgauge serve\` in front of it.
`
  writeFileSync(join(root, 'docs/bench-examples.md'), `${before}\n${made.join('\n')}`)
} finally {
  proxy.child.kill('SIGTERM')
  simulator.child.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
}
