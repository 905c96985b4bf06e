import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** A request that has arrived at the gateway and waits for what the test does with it. */
export interface HeldRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: Buffer
  /** Sends the head at once. */
  head(status?: number, headers?: Record<string, string | string[]>): void
  write(text: string | Buffer): void
  end(text?: string | Buffer): void
  /** Ends the connection without ending the answer. */
  cut(how: 'fin' | 'reset'): void
  /** Resolves when the connection is gone. */
  readonly gone: Promise<void>
}

export interface HeldGateway {
  /** The base URL an OpenAI client would use. */
  readonly url: string
  readonly port: number
  /** The next request, whole. */
  next(): Promise<HeldRequest>
  /** Requests that arrived so far. */
  readonly count: number
  /** Ends all connections, and takes no more. */
  close(): Promise<void>
}

/** Responses of held gateways: they live in one process with the proxy's. */
export const gatewayResponses = new WeakSet<ServerResponse>()

/** A gateway whose every byte the test releases by hand. */
export async function startHeldGateway(t: TestContext): Promise<HeldGateway> {
  const waiting: ((held: HeldRequest) => void)[] = []
  const arrived: HeldRequest[] = []
  const ends = new WeakMap<Socket, Promise<void>>()
  let count = 0
  const server = createServer((request, response) => {
    const gone = ends.get(request.socket) as Promise<void>
    gatewayResponses.add(response)
    const parts: Buffer[] = []
    request.on('error', () => {})
    response.on('error', () => {})
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      count++
      const held = heldRequest(request, response, Buffer.concat(parts), gone)
      const waiter = waiting.shift()
      if (waiter === undefined) arrived.push(held)
      else waiter(held)
    })
  })
  server.keepAliveTimeout = 60_000
  server.on('connection', (socket) => {
    ends.set(socket, new Promise((resolve) => socket.on('close', () => resolve())))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  t.after(close)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    get count() {
      return count
    },
    close,
    next() {
      const held = arrived.shift()
      return held === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(held)
    },
  }
}

function heldRequest(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  gone: Promise<void>,
): HeldRequest {
  return {
    request,
    response,
    body,
    gone,
    head(status = 200, headers = { 'content-type': 'text/event-stream' }) {
      response.writeHead(status, headers)
      response.flushHeaders()
    },
    write: (text) => void response.write(text),
    end: (text) => void response.end(text),
    cut(how) {
      if (how === 'reset') request.socket.resetAndDestroy()
      else request.socket.destroySoon()
    },
  }
}
