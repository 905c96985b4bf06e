import type { IncomingMessage } from 'node:http'

/** How reading a request's body ended. */
export type BodyResult =
  | { readonly kind: 'body'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' }
  /** The client went away before its last byte. */
  | { readonly kind: 'gone' }
  /** Nothing more came for as long as was allowed. */
  | { readonly kind: 'stalled' }

const empty = Buffer.alloc(0)

/**
 * Reads a body whole, at most `maxBytes`. Never rejects. Past the limit the rest is left unread.
 *
 * @param stallMs longest time without a byte; 0: none
 */
export function readBody(request: IncomingMessage, maxBytes: number, stallMs: number): Promise<BodyResult> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > maxBytes) return Promise.resolve({ kind: 'too_large' })
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    let length = 0
    // Its connection holds the process open, not its limit: here and below.
    const stall = stallMs === 0 ? undefined : setTimeout(() => settle({ kind: 'stalled' }), stallMs).unref()
    const settle = (result: BodyResult): void => {
      clearTimeout(stall)
      request.off('data', onData)
      request.off('end', onEnd)
      request.off('close', onGone)
      request.off('error', onGone)
      // A request that breaks later must not become an unhandled error.
      request.on('error', ignore)
      resolve(result)
    }
    const onData = (part: Buffer): void => {
      stall?.refresh()
      length += part.length
      if (length > maxBytes) {
        request.pause()
        settle({ kind: 'too_large' })
      } else parts.push(part)
    }
    const onEnd = (): void =>
      settle({
        kind: 'body',
        bytes: parts.length === 1 ? (parts[0] as Buffer) : parts.length === 0 ? empty : Buffer.concat(parts, length),
      })
    const onGone = (): void => settle({ kind: 'gone' })
    request.on('data', onData)
    request.on('end', onEnd)
    request.on('close', onGone)
    request.on('error', onGone)
  })
}

function ignore(): void {}

const mostDiscardedBytes = 256 * 2 ** 20
const longestDiscardMs = 10_000

/**
 * Reads on and throws away, so that an answer given early reaches a client that is still sending: closing at once would reset the connection
 * before the client has read it. Bounded in bytes and time.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return
  let discarded = 0
  const timer = setTimeout(() => request.destroy(), longestDiscardMs)
  timer.unref()
  request.on('error', ignore)
  request.on('close', () => clearTimeout(timer))
  request.on('data', (part: Buffer) => {
    discarded += part.length
    if (discarded > mostDiscardedBytes) request.destroy()
  })
  request.resume()
}

export function hasBody(request: IncomingMessage): boolean {
  if (request.headers['transfer-encoding'] !== undefined) return true
  const length = request.headers['content-length']
  return length !== undefined && length !== '0'
}
