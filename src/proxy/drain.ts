import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { RunningExchanges } from './running-exchanges.ts'

const sweepMs = 250
/** A client that has begun to send a head may finish it, and is told 503. */
const headGraceMs = 750

/**
 * The end of a proxy's life: no new connections, running exchanges may finish, and connections that carry none do not hold it. Node's own
 * `close()` waits for a connection on which nothing was ever sent: it counts it as one that is about to.
 */
export class Drain {
  readonly #server: Server
  readonly #running: RunningExchanges
  readonly #connections = new Set<Socket>()
  #done: Promise<number> | undefined
  #cutNow: () => void = () => {}

  constructor(server: Server, running: RunningExchanges) {
    this.#server = server
    this.#running = running
    server.on('connection', (socket: Socket) => {
      this.#connections.add(socket)
      socket.once('close', () => this.#connections.delete(socket))
    })
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
    this.#server.close()
    this.#closeUnused('silent')
    const began = performance.now()
    const sweep = setInterval(() => {
      this.#closeUnused(performance.now() - began < headGraceMs ? 'silent' : 'all')
    }, sweepMs)
    const limit = new Promise<void>((resolve) => {
      this.#cutNow = resolve
    })
    await Promise.race([this.#running.idle(), limit])
    clearInterval(sweep)
    return this.#running.cut()
  }

  /** `silent`: those alone on which no request has begun to arrive. */
  #closeUnused(which: 'silent' | 'all'): void {
    this.#server.closeIdleConnections()
    const used = this.#running.sockets()
    for (const socket of this.#connections) {
      if (used.has(socket)) continue
      if (which === 'all' || socket.bytesRead === 0) socket.destroy()
    }
  }
}
