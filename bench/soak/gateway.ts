import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createGzip, constants as zlib } from 'node:zlib'
import { eventsOf, type PlannedExchange } from './plan.ts'

export interface SoakGateway {
  readonly url: string
  /** Resolves once the request of an exchange has come whole. */
  seen(id: string): Promise<void>
  /** How often each exchange was asked for: never more than once, resends of what was not read apart. */
  readonly asked: ReadonlyMap<string, number>
  closeIdle(): void
  close(): void
}

/** A gateway that does with each request what the plan says. */
export async function startSoakGateway(plans: ReadonlyMap<string, PlannedExchange>): Promise<SoakGateway> {
  const asked = new Map<string, number>()
  const waiting = new Map<string, () => void>()
  const server = createServer((request, response) => {
    response.on('error', () => {})
    request.on('error', () => {})
    request.resume().on('end', () => {
      const id = String(request.headers['traceparent']).slice(3, 35)
      asked.set(id, (asked.get(id) ?? 0) + 1)
      waiting.get(id)?.()
      const plan = plans.get(id)
      if (plan === undefined) response.writeHead(500).end()
      else play(plan, request, response).catch(() => response.destroy())
    })
  })
  server.keepAliveTimeout = 600_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    seen: (id) =>
      new Promise((resolve) => {
        if (asked.has(id)) resolve()
        else waiting.set(id, resolve)
      }),
    closeIdle: () => server.closeIdleConnections(),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function play(plan: PlannedExchange, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const json = { 'content-type': 'application/json' }
  switch (plan.kind) {
    case 'reset before the head':
      request.socket.resetAndDestroy()
      return
    case 'limited':
      response.writeHead(429, { ...json, 'retry-after': '1' }).end('{"error":{"type":"rate_limit"}}')
      return
    case 'failed':
      response.writeHead(503, json).end('{"error":{"type":"overloaded"}}')
      return
    case 'refused':
      response.writeHead(404, json).end('{"error":{"type":"not_found"}}')
      return
    case 'whole':
    case 'passed through':
    case 'upload':
      response.writeHead(200, json).end(wholeBody(plan))
      return
    default:
      await stream(plan, request, response)
  }
}

export function wholeBody(plan: PlannedExchange): string {
  const content = 'word '.repeat(plan.events)
  return JSON.stringify({
    choices: [{ message: { content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: plan.events },
  })
}

async function stream(plan: PlannedExchange, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const zips = plan.kind === 'zipped'
  response.writeHead(200, { 'content-type': 'text/event-stream', ...(zips && { 'content-encoding': 'gzip' }) })
  response.flushHeaders()
  const out = zips ? createGzip({ flush: zlib.Z_SYNC_FLUSH }) : response
  if (zips) out.pipe(response)
  for (const [n, text] of eventsOf(plan).entries()) {
    if (plan.gapMs > 0) await wait(plan.gapMs)
    if (request.socket.destroyed) {
      out.destroy()
      return
    }
    if (n === plan.breaksAt && plan.kind === 'reset') {
      request.socket.resetAndDestroy()
      return
    }
    if (n === plan.breaksAt && plan.kind === 'ended in a chunk') {
      request.socket.write('ff\r\nhalf a chunk')
      request.socket.end()
      return
    }
    out.write(text)
  }
  out.end()
}
