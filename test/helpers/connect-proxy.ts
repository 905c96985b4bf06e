import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import type { Identity } from './certificates.ts'
import { RawMessage, within } from './raw-http.ts'

/** What the proxy does with CONNECT: opens the tunnel, or answers with these bytes (`''`: says nothing), or closes. */
export type ProxyConduct = 'tunnel' | 'close' | { readonly answer: string }

export interface ConnectProxy {
  /** `http(s)://127.0.0.1:PORT`, with credentials where they are asked. */
  readonly url: string
  readonly port: number
  /** CONNECT requests so far. */
  readonly asked: readonly RawMessage[]
  readonly connections: number
  /** Resolves once a CONNECT has come. */
  readonly first: Promise<void>
  conduct: ProxyConduct
}

/** An egress proxy of the test's own: every name leads to `gatewayPort`. */
export async function startConnectProxy(
  t: TestContext,
  gatewayPort: number,
  options: { readonly credentials?: string; readonly tls?: Identity } = {},
): Promise<ConnectProxy> {
  const asked: RawMessage[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  let onFirst = (): void => {}
  const first = new Promise<void>((resolve) => {
    onFirst = resolve
  })
  const accept = (socket: Socket): void => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {})
    const message = new RawMessage('request')
    const onData = (bytes: Buffer): void => {
      message.push(bytes)
      if (!message.complete) return
      socket.off('data', onData)
      asked.push(message)
      onFirst()
      if (proxy.conduct === 'close') socket.end()
      else if (proxy.conduct === 'tunnel') open(socket)
      else socket.write(proxy.conduct.answer)
    }
    socket.on('data', onData)
  }
  const open = (socket: Socket): void => {
    const onward = connect({ port: gatewayPort, host: '127.0.0.1', noDelay: true }, () => {
      socket.write('HTTP/1.1 200 Connection established\r\nvia: 1.1 test\r\n\r\n')
      socket.setNoDelay(true)
      socket.pipe(onward).pipe(socket)
    })
    sockets.add(onward)
    onward.on('error', () => socket.destroy())
    socket.on('close', () => onward.destroy())
  }
  const server = options.tls === undefined ? createServer(accept) : createTlsServer(options.tls, accept)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port } = server.address() as AddressInfo
  const credentials = options.credentials === undefined ? '' : `${options.credentials}@`
  const proxy: ConnectProxy = {
    url: `${options.tls === undefined ? 'http' : 'https'}://${credentials}127.0.0.1:${port}`,
    port,
    asked,
    get connections() {
      return connections
    },
    get first() {
      return within(first, 'a CONNECT')
    },
    conduct: 'tunnel',
  }
  return proxy
}

const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']

/** Sets the environment's proxies for one test, and takes all others out. */
export function setProxies(t: TestContext, values: Readonly<Record<string, string>>): void {
  const names = [...variables, ...variables.map((name) => name.toLowerCase())]
  const before = names.map((name) => [name, process.env[name]] as const)
  for (const name of names) delete process.env[name]
  Object.assign(process.env, values)
  t.after(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })
}
