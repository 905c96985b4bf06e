import { EgressProxyError } from './egress.ts'
import { closedBefore, gatewayReset } from './socket-guard.ts'

/** Why a gateway gave no whole answer: a short label for logs and metrics. Never holds an address or a name. */
export type FailureLabel =
  | 'refused'
  | 'dns'
  | 'unreachable'
  | 'connect_timeout'
  | 'tls'
  | 'reset'
  | 'closed'
  | 'malformed_answer'
  | 'headers_too_large'
  | 'length_mismatch'
  | 'egress_proxy'
  | 'request_refused'
  | 'no_descriptors'
  | 'failed'

const byCode: Readonly<Record<string, FailureLabel>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EMFILE: 'no_descriptors',
  ENFILE: 'no_descriptors',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  ECONNRESET: 'reset',
  [gatewayReset]: 'reset',
  EPIPE: 'closed',
  [closedBefore]: 'closed',
  ECONNABORTED: 'reset',
  UND_ERR_SOCKET: 'closed',
  UND_ERR_HEADERS_OVERFLOW: 'headers_too_large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'length_mismatch',
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: 'request_refused',
  UND_ERR_INVALID_ARG: 'request_refused',
  UND_ERR_NOT_SUPPORTED: 'request_refused',
  EGRESS_PROXY: 'egress_proxy',
}

/** Codes of OpenSSL and of Node's checks of a certificate. */
const tlsCode =
  /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_|EPROTO|INVALID_|CRL_|ERROR_IN_CERT|UND_ERR_PRX_TLS)/

/** Of what the parser does not like, undici gives no code; nor for an answer that nobody asked for, or that switches protocols unasked. */
function isBadAnswer(error: { name?: unknown; code?: unknown; message?: unknown }): boolean {
  if (error.name === 'HTTPParserError') return true
  return error.code === 'UND_ERR_SOCKET' && /^bad (response|upgrade)$/.test(String(error.message))
}

export interface Failure {
  readonly label: FailureLabel
  /** For the message: the TLS library's own code, or what the egress proxy answered. It names no secret. */
  readonly detail: string | undefined
}

/** Sorts an error of the HTTP client. Happy eyeballs wraps the attempts: the first one that says something counts. */
export function failureOf(error: unknown): Failure {
  for (const candidate of withCauses(error)) {
    if (isBadAnswer(candidate)) return { label: 'malformed_answer', detail: undefined }
    const code = (candidate as { code?: unknown }).code
    if (typeof code !== 'string') continue
    if (tlsCode.test(code) && code !== 'UND_ERR_INVALID_ARG') return { label: 'tls', detail: code }
    const label = byCode[code]
    if (label !== undefined) {
      return { label, detail: candidate instanceof EgressProxyError ? candidate.reason : undefined }
    }
  }
  return { label: 'failed', detail: undefined }
}

/** Whether an error that the HTTP client handed over was thrown by a handler of ours: what the client, Node and TLS say has a code or a known name. */
export function isOurOwn(error: Error): boolean {
  return withCauses(error).every((candidate) => !isBadAnswer(candidate) && !('code' in candidate))
}

/**
 * The gateway closed a kept-alive connection before it had read the request (`SocketGuard` proves it). Neither a reset alone nor an end alone says
 * so: the request may have been read.
 */
export function closedBeforeReading(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'EPIPE' || code === closedBefore
}

function withCauses(error: unknown): object[] {
  const found: object[] = []
  let next: unknown = error
  while (typeof next === 'object' && next !== null && found.length < 5) {
    found.push(next)
    if (next instanceof AggregateError) found.push(...next.errors.filter((inner) => typeof inner === 'object'))
    next = (next as { cause?: unknown }).cause
  }
  return found
}
