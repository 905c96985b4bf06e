import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { buildConnector } from 'undici'

/** The connection that a request is written on. */
export interface UsedSocket {
  readonly socket: Socket
  /** It had served a request before. */
  readonly reused: boolean
  /** How long the connection took to be made, ms: at least one round trip. */
  readonly connectMs: number
  /** `socket.bytesRead` when the request was written: what came since then is an answer, an interim one (100, 103) too. */
  readonly bytesReadBefore: number
}

interface SocketListener {
  onSocket(used: UsedSocket): void
}

const served = new WeakSet<Socket>()
const connectTimes = new WeakMap<Socket, number>()
let starting: SocketListener | undefined
let subscribed = false

/**
 * undici does not tell its handlers which connection a request is written on; its diagnostics channel `undici:client:sendHeaders` fires right
 * after `onRequestStart`, in the same call, so the handler that started last is the one meant.
 */
export function watchSockets(): void {
  if (subscribed) return
  subscribed = true
  diagnostics.subscribe('undici:client:sendHeaders', (message) => {
    const { socket } = message as { socket: Socket }
    const listener = starting
    starting = undefined
    const reused = served.has(socket)
    served.add(socket)
    listener?.onSocket({ socket, reused, connectMs: connectTimes.get(socket) ?? 0, bytesReadBefore: socket.bytesRead })
  })
}

/** Called from `onRequestStart`. */
export function requestStarts(listener: SocketListener): void {
  starting = listener
}

/** Notes how long each connection took. */
export function watchConnector(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    const began = performance.now()
    connect(options, (...outcome) => {
      const [, socket] = outcome
      // Where it failed, undici hands over nothing at all.
      if (socket) connectTimes.set(socket, performance.now() - began)
      callback(...outcome)
    })
  }
}
