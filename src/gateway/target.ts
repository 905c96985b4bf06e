/** Where requests of one gateway go: the origin, and how a client's path becomes the gateway's. design.md, "URLs". */
export interface GatewayTarget {
  /** `https://host[:port]`, as undici wants it. */
  readonly origin: string
  /** The gateway's request target for a client's path (which begins with `/`) and query (without `?`, `undefined`: none). */
  path(clientPath: string, clientQuery: string | undefined): string
}

/**
 * A base URL whose path ends in `/v1` keeps the client's path as it is, after the base's own beginning; with any other base a leading `/v1` of
 * the client is replaced by the base's path. Both are joined byte for byte: nothing is decoded, normalised or encoded again.
 *
 * @param baseUrl as an OpenAI client would use it; may have a query
 */
export function gatewayTarget(baseUrl: string): GatewayTarget {
  const url = new URL(baseUrl)
  const base = url.pathname.replace(/\/+$/, '')
  const root = base.endsWith('/v1') ? base.slice(0, -3) : undefined
  const ownQuery = url.search.replace(/^\?/, '')
  return {
    origin: url.origin,
    path(clientPath, clientQuery) {
      const rest = root === undefined ? withoutVersion(clientPath) : clientPath
      const query = joinQueries(clientQuery, ownQuery)
      const path = (root ?? base) + rest || '/'
      return query === undefined ? path : `${path}?${query}`
    },
  }
}

function withoutVersion(path: string): string {
  return path === '/v1' || path.startsWith('/v1/') ? path.slice(3) : path
}

/** The client's keys win; its bytes come first and stay as they are. */
function joinQueries(client: string | undefined, own: string): string | undefined {
  if (own === '') return client
  if (client === undefined || client === '') return own
  const taken = new Set(client.split('&').map(keyOf))
  const added = own.split('&').filter((pair) => pair !== '' && !taken.has(keyOf(pair)))
  return added.length === 0 ? client : `${client}&${added.join('&')}`
}

function keyOf(pair: string): string {
  const raw = pair.split('=', 1)[0] as string
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '))
  } catch {
    return raw
  }
}
