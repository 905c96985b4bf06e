import { once } from 'node:events'
import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'

/** A client that tells when so many bytes of the answer have come: order is proved by what it has seen. */
export interface ReadingClient {
  readonly request: ClientRequest
  readonly head: Promise<IncomingMessage>
  /** Resolves once the body so far holds `text`. Rejects when the answer ends without it. */
  seen(text: string): Promise<void>
  /** Resolves once so many bytes of the body have come. */
  received(bytes: number): Promise<void>
  /** Resolves with the whole body; rejects where it is cut. */
  readonly body: Promise<Buffer>
  soFar(): Buffer
}

export function send(
  url: string,
  body: unknown,
  options: {
    method?: string
    headers?: Record<string, string | string[]>
    agent?: Agent
    /** The caller writes and ends the request itself. */
    unfinished?: boolean
  } = {},
): ReadingClient {
  const bytes =
    body === undefined
      ? undefined
      : Buffer.isBuffer(body)
        ? body
        : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const request = httpRequest(url, {
    method: options.method ?? 'POST',
    headers: { 'content-type': 'application/json', ...options.headers },
    agent: options.agent ?? false,
  })
  const parts: Buffer[] = []
  const watchers = new Set<() => void>()
  let over: Error | 'ended' | undefined
  const head = once(request, 'response').then(([answer]) => answer as IncomingMessage)
  const whole = head.then(
    (answer) =>
      new Promise<Buffer>((resolve, reject) => {
        const settle = (how: Error | 'ended'): void => {
          over ??= how
          for (const watcher of watchers) watcher()
          if (how === 'ended') resolve(Buffer.concat(parts))
          else reject(how)
        }
        answer.on('data', (part: Buffer) => {
          parts.push(part)
          for (const watcher of watchers) watcher()
        })
        answer.on('end', () => (answer.complete ? settle('ended') : settle(new Error('cut'))))
        answer.on('error', settle)
        answer.on('close', () => settle(answer.complete ? 'ended' : new Error('cut')))
      }),
  )
  head.catch(() => {})
  whole.catch(() => {})
  if (options.unfinished !== true) request.end(bytes)
  const until = (there: (body: Buffer) => boolean, what: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (there(Buffer.concat(parts))) resolve()
        else if (over !== undefined) reject(new Error(`the answer ended without ${what}`))
        else return
        watchers.delete(look)
      }
      watchers.add(look)
      look()
    })
  return {
    request,
    head,
    body: whole,
    soFar: () => Buffer.concat(parts),
    seen: (text) => until((body) => body.includes(text), JSON.stringify(text)),
    received: (bytes) => until((body) => body.length >= bytes, `${bytes} bytes`),
  }
}
