// npm run overhead: what the proxy costs, beside other ways of doing it, in one run. See docs/performance.md.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cpuSeconds, residentBytes, runLoad, spawnPinned, start, stop, type Target } from './processes.ts'
import { isAvailable, loadCore, startTarget, type TargetName, targetNames } from './targets.ts'

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    targets: { type: 'string' },
    json: { type: 'string' },
  },
})
const quick = flags.quick
const rounds = Number(flags.rounds ?? (quick ? 2 : 5))
const wanted = (flags.targets?.split(',') as TargetName[] | undefined) ?? targetNames
const names = wanted.filter(isAvailable)
const hasWrk = spawnSync('wrk', ['-v']).error === undefined

const scriptFile = join(mkdtempSync(join(tmpdir(), 'overhead-wrk-')), 'post.lua')
writeFileSync(
  scriptFile,
  `wrk.method = "POST"\nwrk.headers["content-type"] = "application/json"\nwrk.headers["authorization"] = "Bearer sk-bench"\nwrk.body = '${JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: 'word '.repeat(100) }] })}'\n`,
)

type Row = Record<string, number>
const samples = new Map<TargetName, Row[]>(names.map((name) => [name, []]))

const { child: gateway, line } = await start('gateway', [], loadCore)
const gatewayPort = Number(line)

for (let round = 0; round <= rounds; round++) {
  // A rotating order, so that no target always runs after the same one; the first round only warms up.
  const order = names.map((_, i) => names[(i + round) % names.length] as TargetName)
  for (const name of order) {
    const target = await startTarget(name, gatewayPort)
    const row = await measure(target)
    await target.stop()
    if (round > 0) samples.get(name)?.push(row)
    process.stderr.write(`round ${round}/${rounds} ${name}: ${JSON.stringify(row)}\n`)
  }
}
await stop(gateway)

async function measure(target: Target): Promise<Row> {
  const pid = target.child?.pid
  const row: Row = {}
  // Warm-up: the compiler's work is not the proxy's price.
  await runLoad(
    { port: target.port, streams: 50, chunks: quick ? 50 : 150, intervalMs: 5, waitMs: 5, spreadMs: 100 },
    loadCore,
  )
  await firstWrites()
  const before = pid === undefined ? 0 : cpuSeconds(pid)
  const seconds = quick ? 3 : 8
  const paced = await runLoad(
    { port: target.port, streams: 200, chunks: seconds * 50, intervalMs: 20, waitMs: 50, spreadMs: 1000 },
    loadCore,
  )
  if (pid !== undefined) row['cpuPerMillionChunks'] = ((cpuSeconds(pid) - before) / (paced['chunks'] as number)) * 1e6
  row['chunkDelayP50'] = paced['chunkP50'] as number
  row['chunkDelayP99'] = paced['chunkP99'] as number
  if (target.name === 'streamgauge') Object.assign(row, await lateness(target))
  const few = await runLoad(
    {
      port: target.port,
      streams: quick ? 150 : 400,
      chunks: 5,
      intervalMs: 20,
      waitMs: 20,
      spreadMs: quick ? 1500 : 4000,
    },
    loadCore,
  )
  row['firstTokenP50'] = few['firstP50'] as number
  row['firstTokenP99'] = few['firstP99'] as number
  row['failed'] = (paced['failed'] as number) + (few['failed'] as number)
  if (hasWrk && pid !== undefined) Object.assign(row, await json(target, pid))
  if (!quick && pid !== undefined) row['bytesPerStream'] = await memory(target, pid)
  return row
}

async function firstWrites(): Promise<Record<string, string>> {
  const answer = await fetch(`http://127.0.0.1:${gatewayPort}/first-writes`)
  return (await answer.json()) as Record<string, string>
}

/** How late the proxy's own marks of first tokens are, and whether it bounds that rightly. */
async function lateness(target: Target): Promise<Row> {
  const writes = await firstWrites()
  const told = once(target.child as NonNullable<Target['child']>, 'message')
  target.child?.send('marks')
  const [marks] = (await told) as [Record<string, { at: string; uncertaintyNs: number }>]
  const late: number[] = []
  let bounded = 0
  for (const [exchange, { at, uncertaintyNs }] of Object.entries(marks)) {
    const written = writes[exchange]
    if (written === undefined) continue
    const ns = Number(BigInt(at) - BigInt(written))
    late.push(ns / 1000)
    // A write takes some microseconds to reach the other end of a loopback connection whatever the proxy does.
    if (ns <= uncertaintyNs + 100_000) bounded++
  }
  late.sort((a, b) => a - b)
  return {
    markLateP50: late[Math.floor(late.length / 2)] ?? Number.NaN,
    markLateP99: late[Math.floor(late.length * 0.99)] ?? Number.NaN,
    markBoundedShare: bounded / late.length,
  }
}

async function json(target: Target, pid: number): Promise<Row> {
  const before = cpuSeconds(pid)
  const child = spawnPinned(
    'wrk',
    ['-t1', '-c32', `-d${quick ? 2 : 4}s`, '-s', scriptFile, `http://127.0.0.1:${target.port}/v1/chat/completions`],
    loadCore,
    false,
  )
  let text = ''
  child.stdout?.on('data', (part: Buffer) => {
    text += part.toString()
  })
  await once(child, 'exit')
  const requests = Number(/(\d+) requests in/.exec(text)?.[1] ?? 0)
  return {
    jsonPerSecond: Number(/Requests\/sec:\s*([\d.]+)/.exec(text)?.[1] ?? 0),
    jsonCpuPerMillion: ((cpuSeconds(pid) - before) / requests) * 1e6,
  }
}

/** Resident bytes for each of 1000 streams that stay open. */
async function memory(target: Target, pid: number): Promise<number> {
  const before = residentBytes(pid)
  const load = runLoad(
    { port: target.port, streams: 1000, chunks: 5, intervalMs: 1000, waitMs: 10, spreadMs: 500 },
    loadCore,
  )
  await new Promise((resolve) => setTimeout(resolve, 3500))
  const during = residentBytes(pid)
  await load
  return (during - before) / 1000
}

const median = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const keys = [...new Set([...samples.values()].flat().flatMap((row) => Object.keys(row)))]
const summary = Object.fromEntries(
  names.map((name) => {
    const rows = samples.get(name) ?? []
    const of = (key: string): number[] => rows.map((row) => row[key]).filter((value) => value !== undefined)
    return [
      name,
      Object.fromEntries(
        keys
          .filter((key) => of(key).length > 0)
          .map((key) => [
            key,
            {
              median: median(of(key)),
              best: key.endsWith('PerSecond') || key.endsWith('Share') ? Math.max(...of(key)) : Math.min(...of(key)),
            },
          ]),
      ),
    ]
  }),
)
for (const key of keys) {
  process.stdout.write(`\n${key} (median / quietest round)\n`)
  for (const name of names) {
    const figure = summary[name]?.[key]
    if (figure !== undefined)
      process.stdout.write(
        `  ${name.padEnd(12)} ${format(figure.median).padStart(10)} ${format(figure.best).padStart(10)}\n`,
      )
  }
}
if (flags.json !== undefined)
  writeFileSync(flags.json, `${JSON.stringify({ node: process.version, rounds, quick, summary }, null, 2)}\n`)

function format(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}
