import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import { withoutContinue } from './interim-heads.ts'

type Controller = Dispatcher.DispatchController

/**
 * Guards the HTTP client against five things that a gateway may do to it (measured with undici 7.30):
 *
 * - An answer that ends with its connection, and whose end comes while the client side is slow (`controller.pause()`): undici finishes its
 *   paused parser, and the assertion that fails there ends the process. The end is held back until the answer is read on.
 * - A reset of such an answer counts as its proper end there (for the sake of one platform), so a cut answer would look whole; while paused it
 *   fails the same assertion. It gets a code that undici does not know.
 * - A reset that comes together with the last bytes is told as a plain end by libuv (it takes the hang-up that it polls for one). So each end is
 *   asked about: a write of nothing fails on a connection that was reset, and sends nothing on one that was not.
 * - A TLS alert that ends the connection after the handshake (the gateway wants a certificate of the client) is told as a plain end.
 * - An answer that is whole while the request is not: the connection would be used again, and the next request would wait behind a body that
 *   the gateway may never read.
 * - `100 Continue` that nobody asked for is taken for a broken answer. RFC 9110, section 15.2: a client must be able to pass over it.
 */
class SocketGuard {
  readonly #socket: Socket
  #answer: WeakRef<Controller> | undefined
  #awaitsHead = false
  #unread: Buffer | undefined
  #endHeld = false
  #endProved = false

  constructor(socket: Socket) {
    this.#socket = socket
    // Else Node ends, then destroys the socket right after an `end` that is held back here.
    socket.allowHalfOpen = true
    socket.prependListener('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET') error.code = gatewayReset
      // What a TLS alert says would be lost: Node leaves the socket open, and undici takes the end that follows for the reason.
      if (!socket.destroyed) socket.destroy(error)
    })
    const { emit, read } = socket
    socket.emit = (event: string | symbol, ...rest: unknown[]): boolean => {
      if (event === 'end' && (this.#holdsEnd() || this.#provesEnd())) return true
      return emit.apply(socket, [event, ...rest] as Parameters<typeof emit>)
    }
    socket.read = (size?: number): Buffer | null => {
      const bytes = read.call(socket, size) as Buffer | null
      return this.#awaitsHead && bytes !== null ? this.#readHead(bytes) : bytes
    }
  }

  /** A request is written on the connection. The guard must not keep it: an idle connection would hold its body in memory. */
  requestStarts(controller: Controller): void {
    this.#answer = new WeakRef(controller)
    sockets.set(controller, this.#socket)
    this.#awaitsHead = true
    this.#unread = undefined
  }

  #holdsEnd(): boolean {
    const controller = this.#answer?.deref()
    if (controller?.paused !== true) return false
    if (this.#endHeld) return true
    this.#endHeld = true
    const { resume } = controller
    controller.resume = () => {
      resume.call(controller)
      if (controller.paused || !this.#endHeld) return
      this.#endHeld = false
      if (!this.#socket.destroyed) this.#socket.emit('end')
    }
    return true
  }

  #provesEnd(): boolean {
    if (this.#endProved || this.#answer?.deref() === undefined || !this.#socket.writable) return false
    this.#endProved = true
    this.#socket.write(nothing, (error) => {
      if (!error && !this.#socket.destroyed) this.#socket.emit('end')
    })
    return true
  }

  #readHead(bytes: Buffer): Buffer | null {
    const { passed, unread } = withoutContinue(
      this.#unread === undefined ? bytes : Buffer.concat([this.#unread, bytes]),
    )
    this.#unread = unread
    if (unread === undefined) this.#awaitsHead = false
    return passed.length === 0 ? null : passed
  }
}

/** Code of an error that was ECONNRESET. */
export const gatewayReset = 'GATEWAY_RESET'

const nothing = Buffer.alloc(0)
const guards = new WeakMap<Socket, SocketGuard>()
const sockets = new WeakMap<Controller, Socket>()
let starting: Controller | undefined
let subscribed = false

/** Every connection that `connect` makes is guarded. */
export function guardConnector(connect: buildConnector.connector): buildConnector.connector {
  if (!subscribed) {
    subscribed = true
    diagnostics.subscribe('undici:client:sendHeaders', (message) => {
      const controller = starting
      starting = undefined
      if (controller !== undefined) guards.get((message as { socket: Socket }).socket)?.requestStarts(controller)
    })
  }
  return (options, callback) => {
    connect(options, (...outcome) => {
      // Where it failed, undici's own connector gives the error alone.
      const socket = outcome[1] as Socket | null | undefined
      if (socket && !guards.has(socket)) guards.set(socket, new SocketGuard(socket))
      callback(...outcome)
    })
  }
}

/** Called from `onRequestStart`; the connection is known right after it. */
export function guardAnswer(controller: Controller): void {
  starting = controller
}

/** Called when an answer is whole. */
export function answerEnded(controller: Controller): void {
  const socket = sockets.get(controller)
  // Not at once: the HTTP client is in the middle of its own work on it. Before it may be used again, in the next turn.
  if (socket !== undefined && socket.writableLength > 0) process.nextTick(() => socket.destroy())
}
