import type { CredentialDecision } from './credentials.ts'

/** Lines that belong to one connection, not to the message. RFC 9110, section 7.6.1, and the ones its history left. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'http2-settings',
  'proxy-authorization',
  'proxy-authenticate',
])

/** Not forwarded either: they are written anew for the gateway's connection, are answered by us, or are meant for us. */
const ours = new Set(['host', 'expect', 'content-length', 'x-streamgauge-app'])

/**
 * The lines of a request as the gateway gets them: order, case and repetitions kept, hop-by-hop lines and those that `Connection` names left out.
 *
 * @param raw flat list of names and values as received
 * @param set set on every request, replacing the client's; names in lower case
 * @param contentLength written where the body is sent whole or its length is known
 */
export function requestHeaders(
  raw: readonly string[],
  set: Readonly<Record<string, string>>,
  credentials: CredentialDecision,
  contentLength: number | undefined,
): string[] {
  const named = namedByConnection(raw)
  const out: string[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase()
    const value = raw[i + 1] as string
    if (hopByHop.has(name) || ours.has(name) || named?.has(name) || Object.hasOwn(set, name)) continue
    if (credentials.keeps(name, value)) out.push(raw[i] as string, value)
  }
  for (const [name, value] of Object.entries(set)) out.push(name, value)
  if (credentials.added !== undefined) out.push(...credentials.added)
  if (contentLength !== undefined) out.push('content-length', String(contentLength))
  return out
}

/**
 * The lines of an answer as the client gets them: hop-by-hop lines left out, and the length where a transfer coding contradicts it
 * (RFC 9112, section 6.3).
 *
 * @param raw flat list as undici hands it over
 */
export function answerHeaders(raw: readonly (Buffer | string)[]): string[] {
  const lines = raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')))
  const named = namedByConnection(lines)
  const chunked = lines.some((part, i) => i % 2 === 0 && part.toLowerCase() === 'transfer-encoding')
  const out: string[] = []
  let lengthSeen = false
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const name = (lines[i] as string).toLowerCase()
    if (hopByHop.has(name) || named?.has(name)) continue
    if (name === 'content-length') {
      if (chunked || lengthSeen) continue
      lengthSeen = true
    }
    out.push(lines[i] as string, lines[i + 1] as string)
  }
  return out
}

function namedByConnection(lines: readonly string[]): Set<string> | undefined {
  let named: Set<string> | undefined
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const name = lines[i] as string
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue
    for (const token of (lines[i + 1] as string).split(',')) {
      const option = token.trim().toLowerCase()
      // Framing is not the peer's to take away by naming it.
      if (option === '' || option === 'content-length' || option === 'close' || option === 'keep-alive') continue
      named ??= new Set()
      named.add(option)
    }
  }
  return named
}
