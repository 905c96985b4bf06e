import { type ClientRequest, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { getProxyForUrl } from 'proxy-from-env'
import { buildConnector } from 'undici'

/** The egress proxy that the environment (`HTTP(S)_PROXY`, `NO_PROXY`) names for a gateway; `undefined`: none. */
export function egressProxyFor(origin: string): URL | undefined {
  const found = getProxyForUrl(origin)
  return found === '' ? undefined : new URL(found)
}

/** Address of a proxy without its credentials, for logs. */
export function withoutCredentials(url: URL): string {
  return `${url.protocol}//${url.host}`
}

/** Whose certificates are accepted. */
export interface TlsTrust {
  readonly rejectUnauthorized: boolean
  /** Instead of Node's own. */
  readonly ca?: string[]
}

/** The proxy opened no tunnel. `reason`: the status it answered, or a short code; never an address or a credential. */
export class EgressProxyError extends Error {
  readonly code = 'EGRESS_PROXY'
  readonly reason: string
  constructor(reason: string) {
    super(`the egress proxy opened no tunnel (${reason})`)
    this.reason = reason
  }
}

/** No tunnel in time. The code is undici's for a connection that was not made in time, which it is to whoever waits. */
class TunnelTimeout extends Error {
  readonly code = 'UND_ERR_CONNECT_TIMEOUT'
}

/**
 * A connector that opens a tunnel (CONNECT) through the proxy, for http and https gateways alike.
 *
 * undici's own ProxyAgent turns headers into an object and so loses repeated lines; a connector leaves the requests alone. Every tunnel has a
 * connection of its own, so that a slow CONNECT holds no other up. Whatever goes wrong is told as an EgressProxyError: undici takes some of its
 * own socket errors for a reason to connect again, without end.
 *
 * @param connectTimeoutMs for the connection to the proxy, CONNECT and TLS together
 */
export function tunnelConnector(proxy: URL, tls: TlsTrust, connectTimeoutMs: number): buildConnector.connector {
  const authorization = proxyAuthorization(proxy)
  const secure = buildConnector({ ...tls, timeout: connectTimeoutMs })
  return (options, callback) => {
    const authority = `${options.hostname}:${options.port || (options.protocol === 'https:' ? '443' : '80')}`
    const request = connectRequest(proxy, authority, authorization, tls)
    let settled = false
    const settle = (error: Error | null, socket?: Socket): void => {
      if (settled) return
      settled = true
      clearTimeout(timer)
      if (error === null) callback(null, socket as Socket)
      else {
        request.destroy()
        callback(error, null)
      }
    }
    const timer = setTimeout(() => settle(new TunnelTimeout('no tunnel within the time limit')), connectTimeoutMs)
    request.on('error', (error: NodeJS.ErrnoException) => settle(new EgressProxyError(error.code ?? 'failed')))
    request.on('response', (answer) => settle(new EgressProxyError(String(answer.statusCode))))
    request.on('connect', (answer, socket: Socket, head: Buffer) => {
      if (answer.statusCode !== 200 || settled) {
        socket.on('error', () => {}).destroy()
        settle(new EgressProxyError(String(answer.statusCode)))
        return
      }
      socket.setNoDelay(true).setKeepAlive(true, 60_000)
      if (head.length > 0) socket.unshift(head)
      if (options.protocol !== 'https:') settle(null, socket)
      else secure({ ...options, httpSocket: socket }, (error, secured) => settle(error, secured ?? undefined))
    })
    request.end()
  }
}

function connectRequest(
  proxy: URL,
  authority: string,
  authorization: string | undefined,
  tls: TlsTrust,
): ClientRequest {
  const host = proxy.hostname.replace(/^\[|\]$/g, '')
  const options = {
    host,
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path: authority,
    agent: false as const,
    setHost: false,
    headers: {
      host: authority,
      'proxy-connection': 'keep-alive',
      ...(authorization !== undefined && { 'proxy-authorization': authorization }),
    },
  }
  if (proxy.protocol !== 'https:') return httpRequest(options)
  // The proxy gets credentials: `insecure` is said of the gateway, not of it.
  const trust = { ...(tls.ca !== undefined && { ca: tls.ca }), rejectUnauthorized: true }
  // Node would take the name from the Host line, which is the gateway's.
  return httpsRequest({ ...options, ...trust, servername: isIP(host) === 0 ? host : '' })
}

function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === '' && proxy.password === '') return undefined
  return `Basic ${Buffer.from(`${decoded(proxy.username)}:${decoded(proxy.password)}`).toString('base64')}`
}

/** A `%` that begins no escape stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
