import type { Operation } from '../measurement/stream-measurement.ts'

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

/** Lines that carry a key of the client. */
const credentials = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']

/** What the configuration of a gateway does to the headers of a request. */
export interface HeaderRules {
  /** Set on every request, replacing the client's. Names in lower case. */
  readonly set: Readonly<Record<string, string>>
  /** The gateway's key; `''`: none. */
  readonly apiKey: string
  readonly dummyKeys: ReadonlySet<string>
  /** Clients prove themselves to this proxy with their key: it is ours and goes no further. */
  readonly clientKeysAreOurs: boolean
}

/**
 * The lines of a request as the gateway gets them: order, case and repetitions kept, hop-by-hop lines and those that `Connection` names left out.
 *
 * @param raw flat list of names and values as received
 * @param contentLength written where the body is sent whole or its length is known
 */
export function requestHeaders(
  raw: readonly string[],
  rules: HeaderRules,
  operation: Operation | undefined,
  contentLength: number | undefined,
): string[] {
  const named = namedByConnection(raw)
  const key = clientKey(raw)
  const isOwnKey = rules.clientKeysAreOurs || key === undefined || rules.dummyKeys.has(key)
  const replaceKey = isOwnKey && rules.apiKey !== ''
  const dropKey = replaceKey || rules.clientKeysAreOurs || credentials.some((name) => name in rules.set)
  const out: string[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase()
    if (hopByHop.has(name) || ours.has(name) || named?.has(name) || name in rules.set) continue
    if (dropKey && credentials.includes(name)) continue
    out.push(raw[i] as string, raw[i + 1] as string)
  }
  for (const [name, value] of Object.entries(rules.set)) out.push(name, value)
  if (replaceKey && !credentials.some((name) => name in rules.set)) {
    if (operation === 'messages') out.push('x-api-key', rules.apiKey)
    else out.push('authorization', `Bearer ${rules.apiKey}`)
  }
  if (contentLength !== undefined) out.push('content-length', String(contentLength))
  return out
}

/** The key a client sent, wherever it put it; `undefined`: none. */
export function clientKey(raw: readonly string[]): string | undefined {
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase()
    if (!credentials.includes(name)) continue
    const value = (raw[i + 1] as string).trim()
    const key = name === 'authorization' ? value.replace(/^bearer\s*/i, '') : value
    if (key !== '') return key
  }
  return undefined
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
