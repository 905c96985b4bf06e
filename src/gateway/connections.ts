import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { buildConnector, Dispatcher } from 'undici'
import { SocketGuard, type UsedSocket } from './socket-guard.ts'

type Controller = Dispatcher.DispatchController

interface SocketListener {
  onSocket(used: UsedSocket): void
}

const guards = new WeakMap<Socket, SocketGuard>()
const sockets = new WeakMap<Controller, Socket>()
let starting: Controller | undefined
let listening: SocketListener | undefined
let subscribed = false

/**
 * undici does not tell its handlers which connection a request is written on; its diagnostics channel `undici:client:sendHeaders` fires right
 * after `onRequestStart`, in the same call, so the handler that started last is the one meant.
 */
function watchRequests(): void {
  if (subscribed) return
  subscribed = true
  diagnostics.subscribe('undici:client:sendHeaders', (message) => {
    const controller = starting
    const listener = listening
    starting = undefined
    listening = undefined
    const { socket } = message as { socket: Socket }
    const guard = guards.get(socket)
    if (controller === undefined || guard === undefined) return
    sockets.set(controller, socket)
    const used = guard.requestStarts(controller)
    listener?.onSocket(used)
  })
}

/** Every connection that `connect` makes is guarded, and it is noted how long it took. */
export function guardConnector(connect: buildConnector.connector): buildConnector.connector {
  watchRequests()
  return (options, callback) => {
    const began = performance.now()
    connect(options, (...outcome) => {
      // Where it failed, undici's own connector gives the error alone.
      const socket = outcome[1] as Socket | null | undefined
      if (socket && !guards.has(socket)) guards.set(socket, new SocketGuard(socket, performance.now() - began))
      callback(...outcome)
    })
  }
}

/** Called from `onRequestStart`, by whoever wants to know the connection; it is told right after it. */
export function askForSocket(listener: SocketListener): void {
  listening = listener
}

/** Called from `onRequestStart`, after `askForSocket`. */
export function requestStarts(controller: Controller): void {
  starting = controller
}

/**
 * Called when an answer is whole. If the request is not, the connection would be used again, and the next request would wait behind a body that the
 * gateway may never read.
 */
export function answerEnded(controller: Controller): void {
  const socket = sockets.get(controller)
  // Not at once: the HTTP client is in the middle of its own work on it. Before it may be used again, in the next turn.
  if (socket !== undefined && socket.writableLength > 0) process.nextTick(() => socket.destroy())
}
