import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { portkeyIsAvailable, startPortkey } from './portkey.ts'
import { listening, spawnPinned, start, stop, type Target } from './processes.ts'

/** Core of the target, and core of gateway and load. */
export const targetCore = 0
export const loadCore = 1

export const targetNames = [
  'direct',
  'nginx',
  'haproxy',
  'bare',
  'http-proxy',
  'streamgauge',
  'streamgauge, 1 viewer',
  'streamgauge, 20 viewers',
  'portkey',
] as const

export type TargetName = (typeof targetNames)[number]

export function isAvailable(name: TargetName): boolean {
  if (name === 'portkey') return portkeyIsAvailable()
  if (name !== 'nginx' && name !== 'haproxy') return true
  return spawnSync(name, ['-v']).status === 0
}

export async function startTarget(name: TargetName, gatewayPort: number): Promise<Target> {
  const origin = `http://127.0.0.1:${gatewayPort}`
  switch (name) {
    case 'direct':
      return { name, port: gatewayPort, child: undefined, stop: async () => {} }
    case 'bare':
      return nodeTarget(name, 'bare-proxy', [origin])
    case 'http-proxy':
      return nodeTarget(name, 'plugin-proxy', [origin])
    case 'streamgauge':
      return nodeTarget(name, 'product', [origin])
    case 'streamgauge, 1 viewer':
      return watched(await nodeTarget(name, 'product', [origin]), 1)
    case 'streamgauge, 20 viewers':
      return watched(await nodeTarget(name, 'product', [origin]), 20)
    case 'nginx':
    case 'haproxy':
      return nativeTarget(name, gatewayPort)
    case 'portkey':
      return startPortkey(gatewayPort, targetCore)
  }
}

/** With people who watch its live page. */
async function watched(target: Target, viewers: number): Promise<Target> {
  const { child } = await start('viewers', [String(target.adminPort), String(viewers)], loadCore)
  return {
    ...target,
    stop: async () => {
      await stop(child)
      await target.stop()
    },
  }
}

async function nodeTarget(name: string, script: string, args: readonly string[]): Promise<Target> {
  const { child, line } = await start(script, args, targetCore)
  const [port, adminPort] = line.split(' ').map(Number)
  return { name, port: port as number, ...(adminPort !== undefined && { adminPort }), child, stop: () => stop(child) }
}

async function nativeTarget(name: 'nginx' | 'haproxy', gatewayPort: number): Promise<Target> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), `overhead-${name}-`))
  const file = join(folder, `${name}.conf`)
  writeFileSync(file, name === 'nginx' ? nginxConfig(folder, port, gatewayPort) : haproxyConfig(port, gatewayPort))
  const args = name === 'nginx' ? ['-c', file, '-e', join(folder, 'error.log')] : ['-f', file]
  const child = spawnPinned(name, args, targetCore, false)
  await listening(port)
  return { name, port, child, stop: () => stop(child) }
}

function nginxConfig(folder: string, port: number, gatewayPort: number): string {
  return `daemon off; master_process off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log crit;
events { worker_connections 8192; }
http {
  access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  upstream gateway { server 127.0.0.1:${gatewayPort}; keepalive 512; }
  server { listen 127.0.0.1:${port}; location / {
    proxy_pass http://gateway; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; proxy_read_timeout 600s; } }
}
`
}

function haproxyConfig(port: number, gatewayPort: number): string {
  return `global
  maxconn 8192
  nbthread 1
defaults
  mode http
  option http-no-delay
  timeout connect 10s
  timeout client 600s
  timeout server 600s
frontend in
  bind 127.0.0.1:${port}
  default_backend gateway
backend gateway
  http-reuse always
  server g 127.0.0.1:${gatewayPort}
`
}
