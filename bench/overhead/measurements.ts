import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { cpuSeconds, residentBytes, runLoad, spawnPinned, type Target } from './processes.ts'
import { loadCore } from './targets.ts'

/** Figures of one target in one round, by name; the names say the unit. */
export type Row = Record<string, number>

export interface Scope {
  /** For CI: fewer and shorter ones. */
  readonly quick: boolean
  readonly gatewayPort: number
}

const hasWrk = spawnSync('wrk', ['-v']).error === undefined
const streamsOfMemory = [1000, 2000]

export async function measure(target: Target, { quick, gatewayPort }: Scope): Promise<Row> {
  const pid = target.child?.pid
  const { port, headers = {} } = target
  const row: Row = {}
  // Warm-up: the compiler's work is not the proxy's price.
  await runLoad(
    { port, headers, streams: 50, chunks: quick ? 50 : 150, intervalMs: 5, waitMs: 5, spreadMs: 100 },
    loadCore,
  )
  // First, while nothing else has left its garbage.
  if (!quick && pid !== undefined) Object.assign(row, await memory(target, pid))
  await firstWrites(gatewayPort)
  const before = pid === undefined ? 0 : cpuSeconds(pid)
  const seconds = quick ? 3 : 8
  const paced = await runLoad(
    { port, headers, streams: 200, chunks: seconds * 50, intervalMs: 20, waitMs: 50, spreadMs: 1000 },
    loadCore,
  )
  if (pid !== undefined) row['cpuPerMillionChunks'] = ((cpuSeconds(pid) - before) / (paced['chunks'] as number)) * 1e6
  row['chunkDelayP50Us'] = paced['chunkP50'] as number
  row['chunkDelayP99Us'] = paced['chunkP99'] as number
  if (target.adminPort !== undefined) Object.assign(row, await lateness(target, gatewayPort))
  // 50 streams of 20 chunks, one after another on each of 50 places: the first tokens come while others run.
  const few = await runLoad(
    {
      port,
      headers,
      streams: quick ? 200 : 500,
      chunks: 20,
      intervalMs: 20,
      waitMs: 20,
      spreadMs: quick ? 1600 : 4000,
    },
    loadCore,
  )
  row['firstTokenP50Us'] = few['firstP50'] as number
  row['firstTokenP99Us'] = few['firstP99'] as number
  row['failed'] = (paced['failed'] as number) + (few['failed'] as number)
  if (hasWrk && pid !== undefined) Object.assign(row, await json(target, pid, quick ? 2 : 4))
  return row
}

/** When the gateway wrote the first chunk of each stream since it was last asked: by exchange, ns of the machine's monotonic clock. */
async function firstWrites(gatewayPort: number): Promise<Record<string, string>> {
  const answer = await fetch(`http://127.0.0.1:${gatewayPort}/first-writes`)
  return (await answer.json()) as Record<string, string>
}

/** How late the proxy's own marks of first tokens are, and whether its uncertainty bounds that. */
async function lateness(target: Target, gatewayPort: number): Promise<Row> {
  const writes = await firstWrites(gatewayPort)
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
    // The gateway reads its clock before it writes: its own call and the kernel's way take some tens of microseconds, whatever the proxy does.
    if (ns <= uncertaintyNs + 100_000) bounded++
  }
  late.sort((a, b) => a - b)
  return {
    markLateP50Us: late[Math.floor(late.length / 2)] ?? Number.NaN,
    markLateP99Us: late[Math.floor(late.length * 0.99)] ?? Number.NaN,
    markBoundedShare: bounded / late.length,
  }
}

/** Whole JSON answers over 32 connections, as many as it takes. */
async function json(target: Target, pid: number, seconds: number): Promise<Row> {
  const lines = { 'content-type': 'application/json', authorization: 'Bearer sk-bench', ...target.headers }
  const body = JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: 'word '.repeat(100) }] })
  const script = join(mkdtempSync(join(tmpdir(), 'overhead-wrk-')), 'post.lua')
  writeFileSync(
    script,
    `wrk.method = "POST"\n${Object.entries(lines)
      .map(([name, value]) => `wrk.headers["${name}"] = "${value}"\n`)
      .join('')}wrk.body = '${body}'\n`,
  )
  const url = `http://127.0.0.1:${target.port}/v1/chat/completions`
  const ask = async (): Promise<string> => {
    const child = spawnPinned('wrk', ['-t1', '-c32', `-d${seconds}s`, '-s', script, url], loadCore, false)
    let printed = ''
    child.stdout?.on('data', (part: Buffer) => {
      printed += part.toString()
    })
    await once(child, 'exit')
    return printed
  }
  // This way has not been warmed up yet.
  await ask()
  const before = cpuSeconds(pid)
  const text = await ask()
  const requests = Number(/(\d+) requests in/.exec(text)?.[1] ?? 0)
  return {
    jsonPerSecond: Number(/Requests\/sec:\s*([\d.]+)/.exec(text)?.[1] ?? 0),
    jsonCpuPerMillion: ((cpuSeconds(pid) - before) / requests) * 1e6,
  }
}

/** Resident bytes for each of so many streams that are open, beyond what the process held when it was warm. */
async function memory(target: Target, pid: number): Promise<Row> {
  const row: Row = {}
  const { port, headers } = target
  const before = residentBytes(pid)
  for (const streams of streamsOfMemory) {
    const load = runLoad({ port, headers, streams, chunks: 5, intervalMs: 1000, waitMs: 10, spreadMs: 500 }, loadCore)
    await wait(3500)
    row[`bytesPerStreamAt${streams}`] = (residentBytes(pid) - before) / streams
    await load
  }
  return row
}
