import type { Operation } from '../measurement/stream-measurement.ts'

/** Where a request goes, by its method and target alone. */
export type Route =
  | {
      readonly kind: 'generation' | 'passthrough'
      /** From `/@APP`; `''`: none. */
      readonly app: string
      /** A configured name, or `undefined` for the default gateway. */
      readonly gateway: string | undefined
      /** What is asked for; `undefined` for what is passed through. */
      readonly operation: Operation | undefined
      /** Without app, gateway and query. Byte for byte as the client sent it. */
      readonly path: string
      readonly query: string | undefined
    }
  | { readonly kind: 'bad_path' }

export type KnownRoute = Exclude<Route, { kind: 'bad_path' }>

/**
 * `[/@APP][/GATEWAY]/…`: whole segments only. The rest is never decoded or normalised: what could mean another path to the gateway than to us
 * is refused.
 *
 * @param target the request target, in origin form or absolute form (whose authority says nothing: there is no request-chosen destination)
 */
export function routeOf(method: string, target: string, gatewayNames: ReadonlySet<string>): Route {
  const origin = originForm(target)
  if (origin === undefined) return { kind: 'bad_path' }
  const mark = origin.indexOf('?')
  let path = mark === -1 ? origin : origin.slice(0, mark)
  const query = mark === -1 ? undefined : origin.slice(mark + 1)
  if (isHostile(path)) return { kind: 'bad_path' }

  let app = ''
  let gateway: string | undefined
  if (path.startsWith('/@')) {
    const [segment, rest] = firstSegment(path)
    app = decoded(segment.slice(1))
    path = rest
  }
  const [segment, rest] = firstSegment(path)
  if (segment !== '' && gatewayNames.has(segment)) {
    gateway = segment
    path = rest
  }
  // Taking segments off must not make a path that was refused before.
  if (path.startsWith('//')) return { kind: 'bad_path' }
  const operation = method === 'POST' ? operationOf(path) : undefined
  return { kind: operation === undefined ? 'passthrough' : 'generation', app, gateway, operation, path, query }
}

/** The generation that a path asks for. Whatever stands before the last segments is the gateway's own (`/openai/deployments/D/…`). */
export function operationOf(path: string): Operation | undefined {
  if (path.endsWith('/chat/completions')) return 'chat'
  if (path.endsWith('/completions')) return 'completions'
  if (path.endsWith('/responses')) return 'responses'
  // A message of a thread is stored, not generated.
  if (path.endsWith('/messages')) return path.includes('/threads/') ? undefined : 'messages'
  if (path === '/api/chat') return 'ollama_chat'
  if (path === '/api/generate') return 'ollama_generate'
  return undefined
}

function originForm(target: string): string | undefined {
  if (target.startsWith('/')) return target
  const absolute = /^https?:\/\/[^/?#]*/i.exec(target)
  if (absolute === null) return undefined
  const rest = target.slice(absolute[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

function isHostile(path: string): boolean {
  if (path.startsWith('//') || path.includes('\\') || path.includes('#')) return true
  if (!path.includes('.') && !/%2e/i.test(path)) return false
  // Servers that decode first, or that take parameters off a segment, would go up at these too.
  return path.split(/\/|%2f|%5c/i).some((segment) => /^(\.|%2e){1,2}(;.*)?$/i.test(segment))
}

/** The first segment and what follows it (`/` where nothing does). */
function firstSegment(path: string): [string, string] {
  const end = path.indexOf('/', 1)
  return end === -1 ? [path.slice(1), '/'] : [path.slice(1, end), path.slice(end)]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
