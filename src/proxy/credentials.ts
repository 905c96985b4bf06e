import type { Operation } from '../measurement/stream-measurement.ts'

/** What the configuration says of keys. */
export interface CredentialRules {
  /** Headers that are set on every request. Names in lower case. */
  readonly set: Readonly<Record<string, string>>
  /** The gateway's key; `''`: none. */
  readonly apiKey: string
  readonly dummyKeys: ReadonlySet<string>
  /** Clients prove themselves to this proxy with their key: it is ours and goes no further. */
  readonly clientKeysAreOurs: boolean
}

/** What becomes of the keys of one request. */
export interface CredentialDecision {
  /** Whether the client's line goes on. `name` in lower case. */
  keeps(name: string, value: string): boolean
  readonly query: string | undefined
  /** A line to add. */
  readonly added: readonly [name: string, value: string] | undefined
}

/** Lines that carry a key of the client. */
const lines = new Set(['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'])
/** Keys of a query that do. */
const queryKeys = new Set(['key', 'api-key', 'api_key'])

const keepAll = (): boolean => true
const dropAll = (name: string): boolean => !lines.has(name)

/**
 * Exactly what the client sent goes on, unless the configuration has a credential of its own: then exactly one credential reaches the gateway.
 * A credential in `headers` takes the place of all of the client's; the gateway's key fills in where the client sent none but dummies.
 */
export function decideCredentials(
  raw: readonly string[],
  query: string | undefined,
  rules: CredentialRules,
  operation: Operation | undefined,
): CredentialDecision {
  const set = [...lines].some((name) => Object.hasOwn(rules.set, name))
  if (set) return { keeps: dropAll, query: withoutKeys(query), added: undefined }
  if (rules.apiKey === '') {
    if (rules.clientKeysAreOurs) return { keeps: dropAll, query, added: undefined }
    return { keeps: keepAll, query, added: undefined }
  }
  const isReal = (key: string): boolean => key !== '' && !rules.dummyKeys.has(key)
  if (!rules.clientKeysAreOurs && (clientKeys(raw).some(isReal) || keysOfQuery(query).some(isReal))) {
    const keeps = (name: string, value: string): boolean => !lines.has(name) || isReal(keyOf(name, value))
    return { keeps, query, added: undefined }
  }
  const added = operation === 'messages' ? (['x-api-key', rules.apiKey] as const) : bearer(rules.apiKey)
  return { keeps: dropAll, query: withoutKeys(query), added }
}

/** The keys a client sent in its lines, wherever it put them. */
export function clientKeys(raw: readonly string[]): string[] {
  const keys: string[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase()
    if (!lines.has(name)) continue
    const key = keyOf(name, raw[i + 1] as string)
    if (key !== '') keys.push(key)
  }
  return keys
}

/** Every key that has to do with a request: the client's and the gateway's. */
export function secretsOf(
  raw: readonly string[],
  query: string | undefined,
  rules: CredentialRules | undefined,
): string[] {
  const own = rules === undefined ? [] : [rules.apiKey, ...Object.values(rules.set)]
  return [...clientKeys(raw), ...keysOfQuery(query), ...own.map((value) => keyOf('authorization', value))]
}

function bearer(key: string): readonly [string, string] {
  return ['authorization', `Bearer ${key}`]
}

function keyOf(name: string, value: string): string {
  return name === 'authorization' ? value.trim().replace(/^bearer(\s+|$)/i, '') : value.trim()
}

function keysOfQuery(query: string | undefined): string[] {
  const pairs = query?.split('&') ?? []
  return pairs.filter(isKeyPair).map((pair) => pair.slice(pair.indexOf('=') + 1))
}

/** The other pairs keep their bytes. */
function withoutKeys(query: string | undefined): string | undefined {
  const pairs = query?.split('&') ?? []
  const kept = pairs.filter((pair) => !isKeyPair(pair))
  if (kept.length === pairs.length) return query
  return kept.length === 0 ? undefined : kept.join('&')
}

function isKeyPair(pair: string): boolean {
  const equals = pair.indexOf('=')
  return equals !== -1 && queryKeys.has(pair.slice(0, equals).toLowerCase())
}
