import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import { Agent, buildConnector } from 'undici'
import { egressProxyFor, tunnelConnector } from './egress.ts'
import { guardConnector } from './guarded-socket.ts'

export interface AgentOptions {
  readonly origin: string
  /** ms; 0: none. */
  readonly connectTimeoutMs: number
  /** A file of PEM certificates trusted beside the public ones; `''`: none. */
  readonly caFile: string
  /** Certificates are not verified. */
  readonly insecure: boolean
  readonly maxHeaderBytes: number
}

/** An idle connection is kept this long; the resend of a request that met a connection just closed makes that safe. */
const keepAliveMs = 30_000
/** A connection is renewed after this long, so that a changed DNS record is seen. */
const connectionLifetimeMs = 60_000
/** setTimeout's largest delay: undici takes 0 for its own default of 10 s. */
const never = 2 ** 31 - 1

/**
 * The pool of connections to one gateway. TLS is verified, the number of connections has no cap (a stream holds one for minutes), and none of
 * undici's 300 s limits is in force: time limits are the proxy's own, which say what they waited for.
 */
export function createAgent(options: AgentOptions): Agent {
  const connectTimeoutMs = options.connectTimeoutMs || never
  const tls: buildConnector.BuildOptions = {
    rejectUnauthorized: !options.insecure,
    ...(options.caFile !== '' && {
      ca: [...rootCertificates, ...extraCertificates(), readFileSync(options.caFile, 'utf8')],
    }),
  }
  const proxy = egressProxyFor(options.origin)
  return new Agent({
    connections: null,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: options.maxHeaderBytes,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: connectionLifetimeMs,
    clientTtl: connectionLifetimeMs,
    connect: guardConnector(
      proxy === undefined
        ? buildConnector({ ...tls, timeout: connectTimeoutMs, autoSelectFamily: true })
        : tunnelConnector(proxy, tls, connectTimeoutMs),
    ),
  })
}

/** A `ca` of our own replaces Node's defaults, `NODE_EXTRA_CA_CERTS` among them. */
function extraCertificates(): string[] {
  const file = process.env['NODE_EXTRA_CA_CERTS']
  if (file === undefined || file === '') return []
  try {
    return [readFileSync(file, 'utf8')]
  } catch {
    return []
  }
}
