import type { Socket } from 'node:net'
import { getProxyForUrl } from 'proxy-from-env'
import { buildConnector, Client } from 'undici'

/** The egress proxy that the environment (`HTTP(S)_PROXY`, `NO_PROXY`) names for a gateway; `undefined`: none. */
export function egressProxyFor(origin: string): URL | undefined {
  const found = getProxyForUrl(origin)
  return found === '' ? undefined : new URL(found)
}

/** Address of a proxy without its credentials, for logs. */
export function withoutCredentials(url: URL): string {
  return `${url.protocol}//${url.host}`
}

/** The proxy refused the tunnel. */
export class EgressProxyError extends Error {
  readonly code = 'EGRESS_PROXY'
  constructor(status: number) {
    super(`the egress proxy answered ${status} to CONNECT`)
  }
}

/**
 * A connector that opens a tunnel (CONNECT) through the proxy, for http and https gateways alike.
 *
 * undici's own ProxyAgent turns headers into an object and so loses repeated lines; a connector leaves the requests alone.
 */
export function tunnelConnector(
  proxy: URL,
  tls: buildConnector.BuildOptions,
  connectTimeoutMs: number,
): buildConnector.connector {
  const client = new Client(proxy.origin, {
    connect: { timeout: connectTimeoutMs },
    headersTimeout: connectTimeoutMs,
    pipelining: 1,
  })
  const secure = buildConnector({ ...tls, timeout: connectTimeoutMs })
  const authorization = proxyAuthorization(proxy)
  return (options, callback) => {
    const port = options.port || (options.protocol === 'https:' ? '443' : '80')
    const authority = `${options.hostname}:${port}`
    client.connect(
      { path: authority, headers: { host: authority, ...(authorization && { 'proxy-authorization': authorization }) } },
      (error, answer) => {
        if (error !== null) return callback(error, null)
        const { socket, statusCode } = answer as unknown as { socket: Socket; statusCode: number }
        if (statusCode !== 200) {
          socket.on('error', () => {}).destroy()
          return callback(new EgressProxyError(statusCode), null)
        }
        if (options.protocol !== 'https:') return callback(null, socket)
        secure({ ...options, httpSocket: socket }, callback)
      },
    )
  }
}

function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === '') return undefined
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}
