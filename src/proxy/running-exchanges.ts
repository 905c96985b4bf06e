import type { Socket } from 'node:net'
import { Roster } from '../measurement/roster.ts'

/** An exchange as the rest of the proxy sees it while it runs. */
export interface Running {
  /** The client's connection. */
  readonly socket: Socket
  readonly request: { readonly complete: boolean }
  /** The request has not come whole yet. */
  readonly uploading: boolean
  /** The proxy stops: what still runs is cut, visibly. */
  shutDown(): void
  /** What the client sent on is no HTTP any more. */
  malformed(): void
}

/** The exchanges that run now. One runs until its client has the last byte or is gone. */
export class RunningExchanges {
  readonly #running = new Roster<Running, 'carried' | 'refused'>()
  /** Requests that were over before they had come whole. */
  readonly #cutShort = new WeakMap<Socket, { readonly complete: boolean }>()
  #carried = 0
  #onIdle: (() => void)[] = []

  /** Those that were not refused: what `maxStreams` limits. */
  get count(): number {
    return this.#carried
  }

  add(exchange: Running, as: 'carried' | 'refused'): void {
    this.#running.set(exchange, as)
    if (as === 'carried') this.#carried++
  }

  remove(exchange: Running): void {
    if (this.#running.get(exchange) === 'carried') this.#carried--
    this.#running.delete(exchange)
    if (exchange.uploading) this.#cutShort.set(exchange.socket, exchange.request)
    if (this.#running.size > 0) return
    for (const tell of this.#onIdle.splice(0)) tell()
  }

  /** Those on one connection, the oldest first. */
  on(socket: Socket): Running[] {
    return this.#running.keys().filter((exchange) => exchange.socket === socket)
  }

  /** Whether what comes on this connection is still the rest of a request that has been answered, and counted. */
  isDiscarding(socket: Socket): boolean {
    return this.#cutShort.get(socket)?.complete === false
  }

  /** Connections that carry an exchange. */
  sockets(): Set<Socket> {
    return new Set(this.#running.keys().map((exchange) => exchange.socket))
  }

  /** Resolves once none runs any more. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#onIdle.push(resolve))
  }

  /** Cuts all that still run. @returns how many */
  cut(): number {
    const running = this.#running.keys()
    for (const exchange of running) exchange.shutDown()
    return running.length
  }
}
