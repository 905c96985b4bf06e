import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import type { TestContext } from 'node:test'
import { within } from './raw-http.ts'
import { repository } from './repository.ts'
import { temporaryFile } from './temporary-folder.ts'

/** `streamgauge serve` as a process of its own: for signals, limits of the system, and what it prints. */
export interface ServedProcess {
  readonly child: ChildProcess
  readonly proxyUrl: string
  /** Ends with `/`. */
  readonly adminUrl: string
  /** Everything it wrote so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** Log lines so far. */
  lines(): Record<string, unknown>[]
  /** Resolves once a line with this message was logged. */
  logged(message: string): Promise<Record<string, unknown>>
  get(path: string): Promise<{ status: number; text: string }>
  kill(signal: NodeJS.Signals): void
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

export interface ServedOptions {
  /** More of the configuration, as YAML; `gateways` is written here. */
  readonly yaml?: string
  /** More keys of the first gateway, as YAML in one line. */
  readonly gateway?: string
  /** More gateways, as YAML in one line each. */
  readonly gateways?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly nodeArguments?: readonly string[]
}

const main = `${repository}dist/src/main.js`

export async function serveProcess(
  t: TestContext,
  gatewayUrl: string,
  options: ServedOptions = {},
): Promise<ServedProcess> {
  const gateway = `{ name: default, url: "${gatewayUrl}"${options.gateway === undefined ? '' : `, ${options.gateway}`} }`
  const config = temporaryFile(
    t,
    'streamgauge.yaml',
    `gateways: [${[gateway, ...(options.gateways ?? [])].join(', ')}]\n${options.yaml ?? ''}\n`,
  )
  const words = [main, 'serve', '--config', config, '--port', '0', '--admin-port', '0']
  // Nothing of the environment of whoever runs the tests comes into it.
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...options.env }
  const child = spawn(process.execPath, [...(options.nodeArguments ?? []), ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  })
  t.after(() => child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  const watchers = new Set<() => void>()
  child.stdout.on('data', (part: Buffer) => {
    stdout += part.toString()
    for (const watcher of watchers) watcher()
  })
  child.stderr.on('data', (part: Buffer) => {
    stderr += part.toString()
  })
  const exited = once(child, 'close').then(([code, signal]) => {
    for (const watcher of watchers) watcher()
    return { code: code as number | null, signal: signal as NodeJS.Signals | null }
  })
  const lines = (): Record<string, unknown>[] =>
    stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  const logged = (message: string): Promise<Record<string, unknown>> =>
    within(
      new Promise((resolve, reject) => {
        const watcher = (): void => {
          const line = lines().find(({ msg }) => msg === message)
          if (line === undefined && child.exitCode === null) return
          watchers.delete(watcher)
          if (line === undefined) reject(new Error(`ended without "${message}": ${stderr}`))
          else resolve(line)
        }
        watchers.add(watcher)
        watcher()
      }),
      `the log line "${message}" (${stderr})`,
    )
  const start = await logged('listening')
  const adminUrl = String(start['admin_url'])
  return {
    child,
    proxyUrl: String(start['proxy_url']),
    adminUrl,
    stdout: () => stdout,
    stderr: () => stderr,
    lines,
    logged,
    get: (path) =>
      new Promise((resolve, reject) => {
        // No connection is kept: descriptors are counted.
        get(new URL(path, adminUrl), { agent: false }, (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (part: string) => {
            text += part
          })
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
          answer.on('error', reject)
        }).on('error', reject)
      }),
    kill: (signal) => void child.kill(signal),
    exited,
  }
}
