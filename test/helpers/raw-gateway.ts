import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { chunk, lastChunk, RawMessage, within } from './raw-http.ts'

/** One connection that the gateway accepted. */
export interface RawConnection {
  readonly socket: Socket
  /** Every byte that came, whether or not it is HTTP. */
  readonly received: () => Buffer
  /** Resolves once the bytes are with the kernel. */
  write(bytes: string | Buffer): Promise<void>
  /** Writes them as one HTTP chunk. */
  chunk(body: string | Buffer): Promise<void>
  /** Writes the end of a chunked body. */
  last(): Promise<void>
  fin(): void
  reset(): void
  /** How the peer ended it; `fin` also where we did. */
  readonly closed: Promise<'fin' | 'reset'>
}

/** What the gateway does with a request. Text is written as Latin-1. */
export type Script = (request: RawMessage, connection: RawConnection, n: number) => void | Promise<void>

export interface RawGateway {
  /** The base URL an OpenAI client would use. */
  readonly url: string
  readonly port: number
  readonly connections: readonly RawConnection[]
  /** Whole requests so far, of all connections. */
  readonly requests: readonly RawMessage[]
  /** The request number `n` (from 0), as soon as it is whole. */
  request(n: number): Promise<RawMessage>
  connection(n: number): Promise<RawConnection>
  /** What is done from now on. */
  script: Script
  /** Errors of scripts, and what came that is no HTTP. */
  readonly faults: readonly unknown[]
  close(): Promise<void>
}

export interface RawGatewayOptions {
  /** When the script runs: at the end of the request (default), or as soon as its head is there. */
  readonly at?: 'request' | 'head'
  readonly tls?: TlsOptions
  readonly host?: string
  /** Default: any free one. */
  readonly port?: number
  /** Told of each connection before anything is read from it. */
  readonly onConnection?: (connection: RawConnection) => void
}

/** A gateway on a plain socket: its bytes and the borders of its writes are the test's own, and what it is sent is kept byte for byte. */
export async function startRawGateway(
  t: TestContext,
  script: Script = () => {},
  options: RawGatewayOptions = {},
): Promise<RawGateway> {
  const connections: RawConnection[] = []
  const requests: RawMessage[] = []
  const faults: unknown[] = []
  const waiters = new Set<() => void>()
  let started = 0

  const accept = (socket: Socket): void => {
    socket.setNoDelay(true)
    const connection = rawConnection(socket)
    connections.push(connection)
    options.onConnection?.(connection)
    let message = new RawMessage('request')
    let begun = false
    const run = (): void => {
      begun = true
      const n = started++
      const request = message
      Promise.resolve()
        .then(() => gateway.script(request, connection, n))
        .catch((error) => faults.push(error))
    }
    socket.on('data', (bytes: Buffer) => {
      let rest = bytes
      try {
        while (rest.length > 0) {
          rest = message.push(rest)
          if (options.at === 'head' && !begun && message.head !== undefined) run()
          if (!message.complete) break
          requests.push(message)
          if (!begun) run()
          message = new RawMessage('request')
          begun = false
        }
      } catch (error) {
        faults.push(error)
      }
      for (const look of waiters) look()
    })
    for (const look of waiters) look()
  }
  const server =
    options.tls === undefined
      ? createServer({ allowHalfOpen: true, noDelay: true }, accept)
      : createTlsServer(options.tls, accept)
  // With TLS those too whose handshake never ended.
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1')
  await once(server, 'listening')

  const nth = <T>(list: readonly T[], n: number, what: string): Promise<T> =>
    within(
      new Promise((resolve) => {
        const look = (): void => {
          if (list.length <= n) return
          waiters.delete(look)
          resolve(list[n] as T)
        }
        waiters.add(look)
        look()
      }),
      `${what} ${n} at the gateway`,
    )
  const { port } = server.address() as AddressInfo
  const gateway: RawGateway = {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/v1`,
    port,
    connections,
    requests,
    faults,
    script,
    request: (n) => nth(requests, n, 'request'),
    connection: (n) => nth(connections, n, 'connection'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const { socket } of connections) socket.destroy()
        for (const socket of sockets) socket.destroy()
      }),
  }
  t.after(() => gateway.close())
  return gateway
}

function rawConnection(socket: Socket): RawConnection {
  const parts: Buffer[] = []
  socket.on('data', (bytes: Buffer) => parts.push(bytes))
  const write = (bytes: string | Buffer): Promise<void> =>
    new Promise((resolve) => {
      if (socket.destroyed) resolve()
      else socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes, () => resolve())
    })
  return {
    socket,
    received: () => Buffer.concat(parts),
    write,
    chunk: (body) => write(chunk(body)),
    last: () => write(lastChunk),
    fin: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
    closed: new Promise((resolve) => {
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNRESET' ? 'reset' : 'fin'))
      socket.on('end', () => {
        // Half-open sockets stay until they are ended on our side too.
        socket.end()
        resolve('fin')
      })
      socket.on('close', () => resolve('fin'))
    }),
  }
}
