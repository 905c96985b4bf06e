import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import { Agent, buildConnector } from 'undici'
import { guardConnector } from './connections.ts'
import { egressProxyFor, type TlsTrust, tunnelConnector } from './egress.ts'
import { RenewedAgent } from './renewed-agent.ts'

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
/** A connection is used no longer than this, so that a changed DNS record is seen. */
const connectionLifetimeMs = 60_000
/** setTimeout's largest delay: undici takes 0 for its own default of 10 s. */
const never = 2 ** 31 - 1

/**
 * The connections to one gateway. TLS is verified, their number has no cap (a stream holds one for minutes), and none of undici's 300 s limits is
 * in force: time limits are the proxy's own, which say what they waited for.
 */
export function createAgent(options: AgentOptions): RenewedAgent {
  const connectTimeoutMs = options.connectTimeoutMs || never
  // Said explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED has no say.
  const tls: TlsTrust = {
    rejectUnauthorized: !options.insecure,
    ...(options.caFile !== '' && {
      ca: [...rootCertificates, ...extraCertificates(), readFileSync(options.caFile, 'utf8')],
    }),
  }
  const proxy = egressProxyFor(options.origin)
  // One connector for all agents: it keeps the TLS sessions.
  const connect =
    proxy === undefined
      ? buildConnector({ ...tls, timeout: connectTimeoutMs, autoSelectFamily: true })
      : tunnelConnector(proxy, tls, connectTimeoutMs)
  const make = (): Agent =>
    new Agent({
      connections: null,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: options.maxHeaderBytes,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: connectionLifetimeMs,
      connect: guardConnector(connect),
    })
  return new RenewedAgent(make, connectionLifetimeMs)
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
