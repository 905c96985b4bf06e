import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { StreamObserver } from '../stream/stream-observer.ts'
import { StreamTap } from '../stream/stream-tap.ts'
import type { TurnClock } from '../stream/turn-clock.ts'
import { createAgent } from './agent.ts'
import { requestStarts } from './connections.ts'
import { failureOf } from './failure.ts'
import type { RenewedAgent } from './renewed-agent.ts'
import type { SocketGuard } from './socket-guard.ts'
import { type GatewayTarget, gatewayTarget } from './target.ts'

export interface GatewayOptions {
  readonly name: string
  /** The base URL that an OpenAI client would use. */
  readonly url: string
  readonly connectTimeoutMs: number
  readonly caFile: string
  readonly insecure: boolean
  readonly maxHeaderBytes: number
}

export interface GatewayRequest {
  readonly method: string
  /** The request target at the gateway: `target.path(…)`. */
  readonly path: string
  /** Flat list of names and values, in order, repeated lines included. */
  readonly headers: string[]
  readonly body: Buffer | Readable | null
}

/** The way to one gateway, with the instrument in it. Proxy and bench use the very same. */
export class Gateway {
  readonly name: string
  readonly target: GatewayTarget
  readonly #agent: RenewedAgent
  readonly #turns: TurnClock

  constructor(options: GatewayOptions, turns: TurnClock) {
    this.name = options.name
    this.target = gatewayTarget(options.url)
    this.#agent = createAgent({ ...options, origin: this.target.origin })
    this.#turns = turns
  }

  /**
   * Sends a request and gives the answer to `work`, watched by `observer`. Errors come to `work.onResponseError`; nothing is thrown.
   *
   * @param onBroken told once if the observer throws
   * @param connection `fresh`: one that has served nothing before
   */
  dispatch(
    request: GatewayRequest,
    work: Dispatcher.DispatchHandler,
    observer: StreamObserver,
    onBroken: (error: unknown) => void,
    connection: 'any' | 'fresh' = 'any',
  ): void {
    const tap = new GuardedTap(work, observer, this.#turns, onBroken)
    const options: Dispatcher.DispatchOptions = {
      origin: this.target.origin,
      path: request.path,
      method: request.method as Dispatcher.HttpMethod,
      headers: request.headers,
      body: request.body,
    }
    if (connection === 'fresh') this.#agent.dispatchFresh(options, tap)
    else this.#agent.dispatch(options, tap, this.#turns.now())
  }

  /** Ends all connections at once; what still runs on them fails. */
  destroy(): Promise<void> {
    return this.#agent.destroy()
  }
}

class GuardedTap extends StreamTap {
  controller!: Dispatcher.DispatchController
  #notModified = false
  #guard: SocketGuard | undefined

  override onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    super.onRequestStart(controller, context)
    this.controller = controller
    requestStarts(this)
  }

  override onResponseStart(...answer: Parameters<StreamTap['onResponseStart']>): void {
    this.#notModified = answer[1] === 304
    super.onResponseStart(...answer)
  }

  override onResponseEnd(...end: Parameters<StreamTap['onResponseEnd']>): void {
    super.onResponseEnd(...end)
    this.#guard?.answerEnded()
  }

  onGuard(guard: SocketGuard): void {
    this.#guard = guard
  }

  /** A 304 may tell the length that a 200 would have had (RFC 9110, section 8.6); undici misses the body. */
  override onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#notModified && failureOf(error).label === 'length_mismatch') this.onResponseEnd(controller, {})
    else super.onResponseError(controller, error)
  }
}
