import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Sample {
  /** Since the start, s. */
  readonly at: number
  /** Bytes. */
  readonly resident: number
  readonly heap: number
}

/** What a soak brings about. */
const expected = new Set(['streams cut at the end of the drain', 'answer cut off'])

/** `streamgauge serve` as it is shipped, and what its log tells. */
export class ProxyProcess {
  /** Outcomes by trace id. More than one: an exchange that was counted twice. */
  readonly outcomes = new Map<string, string[]>()
  /** Lines of the log that tell of trouble. */
  readonly complaints: string[] = []
  readonly samples: Sample[] = []
  stderr = ''
  proxyUrl = ''
  adminUrl = ''
  readonly #child: ChildProcess
  readonly #began = performance.now()

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  static async start(gatewayUrl: string, drain: string, folder: string): Promise<ProxyProcess> {
    const { writeFileSync } = await import('node:fs')
    const config = `${folder}/soak.yaml`
    writeFileSync(config, `gateways: [{ name: soak, url: "${gatewayUrl}" }]\nproxy: { drain: ${drain} }\n`)
    const main = fileURLToPath(new URL('../../src/main.js', import.meta.url))
    const child = spawn(process.execPath, [main, 'serve', '--config', config, '--port', '0', '--admin-port', '0'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], NO_PROXY: '*' },
    })
    const own = new ProxyProcess(child)
    child.stderr?.on('data', (text: Buffer) => {
      own.stderr += text.toString()
    })
    const started = new Promise<void>((resolve, reject) => {
      child.on('exit', () => reject(new Error(`the proxy did not start: ${own.stderr}`)))
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => own.#read(line, resolve))
    })
    await started
    return own
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  get descriptors(): number {
    return readdirSync(`/proc/${this.#child.pid}/fd`).length
  }

  async metrics(): Promise<string> {
    const answer = await fetch(new URL('metrics', this.adminUrl), { headers: { connection: 'close' } })
    return answer.text()
  }

  async sample(): Promise<void> {
    const text = await this.metrics()
    const at = (performance.now() - this.#began) / 1000
    this.samples.push({
      at,
      resident: sumOf(text, 'process_resident_memory_bytes'),
      heap: sumOf(text, 'nodejs_heap_size_used_bytes'),
    })
  }

  /** @returns the exit code; `null`: it was killed */
  async stop(withinMs: number): Promise<number | null> {
    const closed = once(this.#child, 'close')
    this.#child.kill('SIGTERM')
    const guard = setTimeout(() => this.#child.kill('SIGKILL'), withinMs)
    const [code] = await closed
    clearTimeout(guard)
    return code as number | null
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #read(line: string, started: () => void): void {
    const entry = JSON.parse(line) as Record<string, unknown>
    if (entry['msg'] === 'listening') {
      this.proxyUrl = String(entry['proxy_url'])
      this.adminUrl = String(entry['admin_url'])
      started()
    } else if (entry['msg'] === 'exchange') {
      const id = String(entry['trace_id'])
      this.outcomes.set(id, [...(this.outcomes.get(id) ?? []), String(entry['outcome'])])
    } else if (Number(entry['level']) >= 40 && !expected.has(String(entry['msg']))) {
      this.complaints.push(line)
    }
  }
}

/** The sum of a metric's series. */
export function sumOf(text: string, name: string): number {
  let sum = 0
  for (const line of text.split('\n')) {
    if (line.startsWith(`${name} `) || line.startsWith(`${name}{`)) sum += Number(line.slice(line.lastIndexOf(' ') + 1))
  }
  return sum
}
