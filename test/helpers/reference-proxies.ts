import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { within } from './raw-http.ts'
import { temporaryFolder } from './temporary-folder.ts'

export const referenceProxies = ['nginx', 'haproxy'] as const
export type ReferenceProxy = (typeof referenceProxies)[number]

/** Starts a well-known proxy on loopback in front of an origin. @returns its URL */
export async function startReferenceProxy(t: TestContext, name: ReferenceProxy, originPort: number): Promise<string> {
  const folder = temporaryFolder(t)
  const port = await freePort()
  const file = join(folder, 'proxy.conf')
  writeFileSync(file, name === 'nginx' ? nginxConfig(folder, port, originPort) : haproxyConfig(port, originPort))
  for (const part of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, part))
  const args = name === 'nginx' ? ['-e', 'stderr', '-p', folder, '-c', file] : ['-db', '-q', '-f', file]
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
  await within(Promise.race([listening(port), failed]), name)
  return `http://127.0.0.1:${port}`
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const open = await new Promise<boolean>((resolve) => {
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    })
    socket.destroy()
    if (open) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function nginxConfig(folder: string, port: number, originPort: number): string {
  const folders = [
    'client_body_temp_path body',
    'proxy_temp_path proxy',
    'fastcgi_temp_path fastcgi',
    'uwsgi_temp_path uwsgi',
    'scgi_temp_path scgi',
  ]
  return `daemon off; master_process off; pid ${folder}/pid; error_log stderr crit;
events { worker_connections 64; }
http {
  access_log off; large_client_header_buffers 8 64k;
  ${folders.map((line) => `${line.split(' ')[0]} ${folder}/${line.split(' ')[1]};`).join(' ')}
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://127.0.0.1:${originPort}; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`
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
