import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../bench/free-port.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface Sample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: number
}

export interface Prometheus {
  readonly url: string
  /** An instant query; a scalar is one sample. Rejects with Prometheus' own message. `time` in seconds; default: now. */
  query(expr: string, time?: number): Promise<Sample[]>
  /** GET of its API: the field `data`. */
  get(path: string): Promise<unknown>
}

/** Starts a program that serves HTTP, waits until `readyPath` answers, and ends it after the test. */
export async function startServer(
  t: TestContext,
  program: string,
  args: readonly string[],
  ready: string,
): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  let ended = false
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part))
  const exit = new Promise<void>((resolve) => {
    child.on('error', (error) => {
      said += error.message
      ended = true
      resolve()
    })
    child.on('exit', () => {
      ended = true
      resolve()
    })
  })
  t.after(async () => {
    child.kill('SIGTERM')
    const hard = setTimeout(() => child.kill('SIGKILL'), 5000)
    await exit
    clearTimeout(hard)
  })
  for (;;) {
    if (ended) throw new Error(`${program} ended:\n${said.slice(-2000)}`)
    const answer = await fetch(ready).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer?.ok === true) return
    await delay(50)
  }
}

export async function startPrometheus(
  t: TestContext,
  options: { readonly config: object; readonly data?: string; readonly flags?: readonly string[] },
): Promise<Prometheus> {
  const folder = temporaryFolder(t)
  const config = join(folder, 'prometheus.yml')
  writeFileSync(config, JSON.stringify(options.config))
  const url = `http://127.0.0.1:${await freePort()}`
  await startServer(
    t,
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${options.data ?? join(folder, 'data')}`,
      `--web.listen-address=${new URL(url).host}`,
      '--storage.tsdb.retention.time=1y',
      ...(options.flags ?? []),
    ],
    `${url}/-/ready`,
  )
  async function get(path: string): Promise<unknown> {
    const answer = await fetch(`${url}/api/v1/${path}`)
    const body = (await answer.json()) as { status: string; error?: string; data: unknown }
    if (body.status !== 'success') throw new Error(body.error)
    return body.data
  }
  return {
    url,
    get,
    async query(expr, time) {
      const at = time === undefined ? '' : `&time=${time}`
      const { resultType, result } = (await get(`query?query=${encodeURIComponent(expr)}${at}`)) as {
        resultType: string
        result: { metric: Record<string, string>; value: [number, string] }[] | [number, string]
      }
      if (resultType === 'scalar') return [{ metric: {}, value: Number((result as [number, string])[1]) }]
      return (result as { metric: Record<string, string>; value: [number, string] }[]).map(({ metric, value }) => ({
        metric,
        value: Number(value[1]),
      }))
    },
  }
}

/** One scrape as it was read, at a time of the test's choosing. */
export interface Scrape {
  /** Seconds. */
  readonly time: number
  readonly labels: Readonly<Record<string, string>>
  /** The text format. */
  readonly text: string
}

function timed({ time, labels, text }: Scrape): string {
  const own = Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')
  const lines = text.split('\n').flatMap((line) => {
    const parts = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line)
    if (parts === null) return []
    const [, name, inner = '', value] = parts
    return [`${name}{${own}${inner === '' ? '' : `,${inner}`}} ${value} ${time}`]
  })
  const samples = lines.length
  return [
    ...lines,
    `up{${own}} 1 ${time}`,
    `scrape_samples_scraped{${own}} ${samples} ${time}`,
    `scrape_duration_seconds{${own}} 0.01 ${time}`,
  ].join('\n')
}

/** Puts scrapes into the blocks of a data folder, as if they had been made at their times. Those of one call lie within some hours. */
export function writeBlocks(t: TestContext, data: string, scrapes: readonly Scrape[]): void {
  mkdirSync(data, { recursive: true })
  const file = join(temporaryFolder(t), 'scrapes.txt')
  const ordered = [...scrapes].sort((one, another) => one.time - another.time)
  writeFileSync(file, `${ordered.map(timed).join('\n')}\n# EOF\n`)
  const { status, stdout, stderr } = spawnSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', file, data], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stdout + stderr)
}
