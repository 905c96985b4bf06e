import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { listening, nodeFlags, pinned, stop, type Target } from './processes.ts'

/** Its newest parts do not run together (its answers' headers cannot be changed); these do. */
const parts = { '@portkey-ai/gateway': '1.15.2', hono: '4.9.12', '@hono/node-server': '1.13.8' }
const folder = join(tmpdir(), `streamgauge-overhead-portkey-${parts['@portkey-ai/gateway']}`)
const program = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js')

/** Installs it in a folder of its own where it is not there yet: it is no dependency of this project. */
export function portkeyIsAvailable(): boolean {
  if (existsSync(program)) return true
  mkdirSync(folder, { recursive: true })
  const overrides = { hono: parts.hono, '@hono/node-server': parts['@hono/node-server'] }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: parts, overrides }))
  spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder, stdio: 'ignore' })
  return existsSync(program)
}

export async function startPortkey(gatewayPort: number, core: number): Promise<Target> {
  const port = await freePort()
  const [command, words] = pinned(process.execPath, [...nodeFlags, program, `--port=${port}`, '--headless'], core)
  const child = spawn(command, words, { stdio: ['ignore', 'ignore', 'ignore'] })
  await listening(port)
  return {
    name: 'portkey',
    port,
    headers: {
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `http://127.0.0.1:${gatewayPort}/v1`,
      'x-portkey-forward-headers': 'x-order,x-exchange',
    },
    child,
    stop: () => stop(child),
  }
}
