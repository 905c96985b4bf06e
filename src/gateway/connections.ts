import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { buildConnector, Dispatcher } from 'undici'
import { SocketGuard, type UsedSocket } from './socket-guard.ts'

type Controller = Dispatcher.DispatchController

interface SocketListener {
  onSocket(used: UsedSocket): void
}

/** A request whose `onRequestStart` has run. */
interface Starting {
  readonly controller: Controller
  onGuard(guard: SocketGuard): void
}

const guards = new WeakMap<Socket, SocketGuard>()
let starting: Starting | undefined
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
    const request = starting
    const listener = listening
    starting = undefined
    listening = undefined
    const guard = guards.get((message as { socket: Socket }).socket)
    if (request === undefined || guard === undefined) return
    const used = guard.requestStarts(request.controller)
    request.onGuard(guard)
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

/** Called from `onRequestStart`, after `askForSocket`; the guard of the connection is told right after it. */
export function requestStarts(request: Starting): void {
  starting = request
}
