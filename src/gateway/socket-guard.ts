import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { TLSSocket } from 'node:tls'
import type { Dispatcher } from 'undici'
import { withoutContinue } from './interim-heads.ts'

type Controller = Dispatcher.DispatchController

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

/** Code of an error that was ECONNRESET. */
export const gatewayReset = 'GATEWAY_RESET'
/** Code of an end that was on its way before the request was written. */
export const closedBefore = 'GATEWAY_CLOSED_BEFORE'

const nothing = Buffer.alloc(0)
/** RFC 9112, section 2.2: a server passes over an empty line before a request. */
const emptyLine = Buffer.from('\r\n')
/** How long, beyond a round trip, the reset is waited for that a closed connection answers bytes with, ms. */
const proofMs = 20
const proofEveryMs = 2

const turnOfLoop = (): number => performance.nodeTiming.uvMetricsInfo.loopCount

/** While an immediate waits, the event loop looks for events and does not wait for them. The first one may run before the next look. */
const lookSoon = (): void => {
  setImmediate(() => setImmediate(() => {}))
}

/**
 * Guards the HTTP client against six things that a gateway may do to it (measured with undici 7.30):
 *
 * - An answer that ends with its connection, and whose end comes while the client side is slow (`controller.pause()`): undici finishes its
 *   paused parser, and the assertion that fails there ends the process. The end is held back until the answer is read on.
 * - A reset of such an answer counts as its proper end there (for the sake of one platform), so a cut answer would look whole; while paused it
 *   fails the same assertion. It gets a code that undici does not know.
 * - A reset that comes together with the last bytes is told as a plain end by libuv (it takes the hang-up that it polls for one). So each end is
 *   asked about: a write of nothing fails on a connection that was reset, and sends nothing on one that was not.
 * - A TLS alert that ends the connection after the handshake (the gateway wants a certificate of the client) is told as a plain end.
 * - `100 Continue` that nobody asked for is taken for a broken answer. RFC 9110, section 15.2: a client must be able to pass over it.
 * - A kept connection that ends without an answer is told alike, whether the gateway closed it before the request came, or read the request and
 *   then closed. See `#provesStale`.
 */
export class SocketGuard {
  readonly #socket: Socket
  readonly #connectMs: number
  /** Of the answer that is awaited or comes. */
  #answer: Controller | undefined
  #used: UsedSocket | undefined
  #sentInTurn = 0
  #awaitsHead = false
  #unread: Buffer | undefined
  #endHeld = false
  #endProved = false

  constructor(socket: Socket, connectMs: number) {
    this.#socket = socket
    this.#connectMs = connectMs
    // Else Node ends, then destroys the socket right after an `end` that is held back here.
    socket.allowHalfOpen = true
    socket.prependListener('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET') error.code = gatewayReset
      // What a TLS alert says would be lost: Node leaves the socket open, and undici takes the end that follows for the reason.
      if (!socket.destroyed) socket.destroy(error)
    })
    const { read } = socket
    const emit = socket.emit as (this: Socket, event: string | symbol, ...rest: unknown[]) => boolean
    // Runs for each chunk: events of one argument or none are told without an array.
    socket.emit = (event: string | symbol, first?: unknown, ...rest: unknown[]): boolean => {
      if (event === 'readable') return emit.call(socket, event)
      if (event === 'end' && (this.#holdsEnd() || this.#provesEnd())) return true
      if (rest.length > 0) return emit.call(socket, event, first, ...rest)
      return first === undefined ? emit.call(socket, event) : emit.call(socket, event, first)
    }
    socket.read = (size?: number): Buffer | null => {
      const bytes = read.call(socket, size) as Buffer | null
      return this.#awaitsHead && bytes !== null ? this.#readHead(bytes) : bytes
    }
  }

  /** A request is written on the connection. */
  requestStarts(controller: Controller): UsedSocket {
    const socket = this.#socket
    const used: UsedSocket = {
      socket,
      reused: this.#used !== undefined,
      connectMs: this.#connectMs,
      bytesReadBefore: socket.bytesRead,
    }
    this.#answer = controller
    this.#used = used
    this.#awaitsHead = true
    this.#unread = undefined
    if (used.reused) {
      this.#sentInTurn = turnOfLoop()
      lookSoon()
    }
    return used
  }

  /**
   * The answer is whole. Nothing of it is kept: an idle connection would hold its request's body in memory. If the request is not whole, the
   * connection would be used again, and the next request would wait behind a body that the gateway may never read.
   */
  answerEnded(): void {
    this.#answer = undefined
    const socket = this.#socket
    // Not at once: the HTTP client is in the middle of its own work on it. Before it may be used again, in the next turn.
    if (socket.writableLength > 0) process.nextTick(() => socket.destroy())
  }

  #holdsEnd(): boolean {
    const controller = this.#answer
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
    const socket = this.#socket
    if (this.#endProved || this.#answer === undefined || !socket.writable) return false
    this.#endProved = true
    if (this.#used?.reused === true && socket.bytesRead === this.#used.bytesReadBefore) this.#provesStale()
    else this.#writes(nothing, () => socket.emit('end'))
    return true
  }

  /**
   * A kept connection ended without an answer. Was the request read?
   *
   * - Not where its bytes were answered with a reset after the end (EPIPE): the gateway had closed, or left some of them unread.
   * - Nor where the end was there at the first look for events after they were written: it was on its way, from a gateway that closes only its own
   *   direction (as servers do that linger) and cannot answer any more.
   * - Else it may have been.
   */
  #provesStale(): void {
    const socket = this.#socket
    const wasThere = turnOfLoop() <= this.#sentInTurn + 1
    const until = performance.now() + this.#connectMs + proofMs
    const conclude = (): void => {
      if (wasThere) socket.destroy(Object.assign(new Error('closed before'), { code: closedBefore }))
      else socket.emit('end')
    }
    // Through TLS a write of nothing does not reach the kernel.
    if (socket instanceof TLSSocket) setTimeout(() => this.#writes(emptyLine, conclude), until - performance.now())
    else this.#triesUntil(until, conclude)
  }

  /** Writes nothing, again and again: that fails once the connection was reset, and sends no byte. */
  #triesUntil(until: number, then: () => void): void {
    this.#writes(nothing, () => {
      if (performance.now() < until) setTimeout(() => this.#triesUntil(until, then), proofEveryMs)
      else then()
    })
  }

  /** Where it fails, the socket's error is told to the HTTP client. */
  #writes(bytes: Buffer, then: () => void): void {
    const socket = this.#socket
    if (socket.destroyed) return
    socket.write(bytes, (error) => {
      if (!error && !socket.destroyed) then()
    })
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
