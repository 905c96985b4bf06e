import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { RunningExchanges } from './running-exchanges.ts'

const sweepMs = 250
const stepMs = 25
/** A client that has just connected, or has begun to send a head, may send the rest of it; its request is served. */
const headGraceMs = 750

/**
 * The end of a proxy's life: no new connections, running exchanges may finish, and connections that carry none do not hold it. Node's own
 * `close()` waits for a connection on which nothing was ever sent: it counts it as one that is about to.
 */
export class Drain {
  readonly #server: Server
  readonly #running: RunningExchanges
  readonly #delayMs: number
  /** With the time at which each was accepted. */
  readonly #connections = new Map<Socket, number>()
  #done: Promise<number> | undefined
  #refuses = false
  #cutNow: () => void = () => {}
  #sweep: NodeJS.Timeout | undefined

  /** @param delayMs how long new connections are still taken */
  constructor(server: Server, running: RunningExchanges, delayMs: number) {
    this.#server = server
    this.#running = running
    this.#delayMs = delayMs
    server.on('connection', (socket: Socket) => {
      this.#connections.set(socket, performance.now())
      socket.once('close', () => this.#connections.delete(socket))
    })
  }

  /** Requests that come now are too late. */
  get refuses(): boolean {
    return this.#refuses
  }

  /**
   * A second call can only shorten the first.
   * @param withinMs what runs for longer is cut
   * @returns how many exchanges were cut
   */
  begin(withinMs: number): Promise<number> {
    this.#done ??= this.#drain()
    const timer = setTimeout(() => this.#cutNow(), withinMs)
    return this.#done.finally(() => clearTimeout(timer))
  }

  async #drain(): Promise<number> {
    const limit = new Promise<void>((resolve) => {
      this.#cutNow = resolve
    })
    await Promise.race([this.#finish(), limit])
    this.#refuses = true
    clearInterval(this.#sweep)
    return this.#running.cut()
  }

  /** A load balancer that has connected to us sends its request and cannot take it back: POST is not sent twice. */
  async #finish(): Promise<void> {
    if (this.#delayMs > 0) await wait(this.#delayMs, undefined, { ref: false })
    // The kernel resets what waits to be accepted when its listener closes: a whole turn of the loop accepts it first.
    await nextTurn()
    await nextTurn()
    if (this.#refuses) return
    this.#server.close()
    this.#closeUnused()
    this.#sweep = setInterval(() => this.#closeUnused(), sweepMs)
    const begun = performance.now()
    while (this.#connections.size > 0 && performance.now() - begun < headGraceMs) await wait(stepMs)
    this.#refuses = true
    this.#closeUnused()
    await this.#running.idle()
  }

  /** Idle ones, and those that are old enough to have sent a request; in the end all that carry none. */
  #closeUnused(): void {
    this.#server.closeIdleConnections()
    const used = this.#running.sockets()
    for (const [socket, accepted] of this.#connections) {
      if (used.has(socket)) continue
      const isSilent = socket.bytesRead === 0 && performance.now() - accepted >= headGraceMs
      if (this.#refuses || isSilent) socket.destroy()
    }
  }
}
