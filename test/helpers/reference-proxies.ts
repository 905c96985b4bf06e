import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from '../../bench/free-port.ts'
import { within } from './raw-http.ts'
import { temporaryFolder } from './temporary-folder.ts'

export const referenceProxies = ['nginx', 'haproxy'] as const
export type ReferenceProxy = (typeof referenceProxies)[number]

/** Starts a well-known proxy on loopback in front of an origin. @returns its URL */
export async function startReferenceProxy(t: TestContext, name: ReferenceProxy, originPort: number): Promise<string> {
  const folder = temporaryFolder(t)
  const port = await freePort()
  const text = name === 'nginx' ? nginxConfig(folder, port, originPort) : haproxyConfig(port, originPort)
  await runProxy(t, name, folder, text, port)
  return `http://127.0.0.1:${port}`
}

export interface RunningProxy {
  /** nginx alone: takes another configuration, and resolves once no old worker takes a connection. */
  reload(text: string): Promise<void>
}

/** Starts nginx or HAProxy with this configuration, waits until it listens on the port, and ends it after the test. */
export async function runProxy(
  t: TestContext,
  name: ReferenceProxy,
  folder: string,
  text: string,
  port: number,
): Promise<RunningProxy> {
  const file = join(folder, 'proxy.conf')
  writeFileSync(file, text)
  for (const part of temporaryParts) mkdirSync(join(folder, part))
  const args = name === 'nginx' ? ['-e', 'stderr', '-p', folder, '-c', file] : ['-db', '-f', file]
  const child = spawn(name, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` },
  })
  let said = ''
  child.stderr.on('data', (text: Buffer) => {
    said += text.toString()
  })
  t.after(async () => {
    if (child.exitCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${name} ended with ${code}: ${said}`)))
  failed.catch(() => {})
  const over = new AbortController()
  await within(Promise.race([listening(port, over.signal), failed]), name).finally(() => over.abort())
  return {
    async reload(next) {
      writeFileSync(file, next)
      said = ''
      child.kill('SIGHUP')
      while (!said.includes('gracefully shutting down')) await new Promise((resolve) => setTimeout(resolve, 20))
    },
  }
}

async function listening(port: number, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const socket = connect(port, '127.0.0.1')
    const open = await new Promise<boolean>((resolve) => {
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    })
    socket.destroy()
    if (open) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const temporaryParts = ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

/** What an nginx that is no service needs besides its `http` block. */
export function nginxMain(folder: string, http: string): string {
  const folders = temporaryParts.map((part) => `${part === 'body' ? 'client_body' : part}_temp_path ${folder}/${part};`)
  return `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr notice;
events { worker_connections 1024; }
http {
  ${folders.join(' ')}
  ${http}
}
`
}

function nginxConfig(folder: string, port: number, originPort: number): string {
  return nginxMain(
    folder,
    `access_log off; large_client_header_buffers 8 64k;
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://127.0.0.1:${originPort}; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }`,
  )
}

function haproxyConfig(port: number, originPort: number): string {
  return `global
  tune.bufsize 65536
defaults
  mode http
  timeout connect 5s
  timeout client 20s
  timeout server 20s
frontend in
  bind 127.0.0.1:${port}
  default_backend out
backend out
  server origin 127.0.0.1:${originPort}
`
}
