import { setMaxListeners } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'

export interface DemoRequest {
  /** base_url's root with app and gateway: http://127.0.0.1:8484/@chat */
  readonly base: string
  readonly path: string
  readonly body: object
  /** The client leaves when this many bytes of the answer are read (0: at the first), or this long after it asked. */
  readonly leaveAfterBytes?: number
  readonly leaveAfterMs?: number
}

export interface DemoClient {
  /** Reads the answer to its end, or leaves. Resolves in any case: what came of it stands in the proxy's log. */
  send(asked: DemoRequest): Promise<void>
  /** Requests so far. */
  readonly sent: number
  /** Leaves all that is running. */
  close(): void
}

/** A client without a library, so that the demo's own work disturbs the proxy in the same process as little as can be. */
export function createDemoClient(): DemoClient {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  let count = 0
  return {
    get sent() {
      return count
    },
    send: (asked) =>
      new Promise((resolve) => {
        count++
        const text = JSON.stringify(asked.body)
        const sent = request(asked.base + asked.path, {
          method: 'POST',
          agent,
          signal: stop.signal,
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
        })
        const timer =
          asked.leaveAfterMs === undefined ? undefined : setTimeout(() => sent.destroy(), asked.leaveAfterMs)
        sent.on('response', (answer: IncomingMessage) => {
          let bytes = 0
          answer.on('data', (part: Buffer) => {
            bytes += part.length
            if (asked.leaveAfterBytes !== undefined && bytes > asked.leaveAfterBytes) sent.destroy()
          })
          answer.on('error', () => undefined)
        })
        sent.on('error', () => undefined)
        sent.on('close', () => {
          clearTimeout(timer)
          resolve()
        })
        sent.end(text)
      }),
    close() {
      stop.abort()
      agent.destroy()
    },
  }
}
