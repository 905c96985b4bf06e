import type { Dispatcher } from 'undici'
import { askForSocket } from '../gateway/connections.ts'
import { closedBeforeReading, failureOf } from '../gateway/failure.ts'
import type { Gateway, GatewayRequest } from '../gateway/gateway.ts'
import type { UsedSocket } from '../gateway/socket-guard.ts'
import type { StreamAccumulator } from '../stream/stream-accumulator.ts'
import type { EndCause } from '../stream/stream-observer.ts'
import type { TurnClock } from '../stream/turn-clock.ts'

type Controller = Dispatcher.DispatchController

/** ms. */
export interface Limits {
  /** In force in the gateway's agent; here for messages. */
  readonly connect: number
  readonly firstByte: number
  readonly idle: number
}

/** Of a refusal this much is kept, to find out which field the gateway does not like. */
const keptRefusalBytes = 8192

/** Reads an answer and throws it away: all that matters of it is seen by the instrument. Tells the accumulator how it ended, exactly once. */
export class AnswerSink implements Dispatcher.DispatchHandler {
  readonly #gateway: Gateway
  readonly #request: GatewayRequest
  readonly #accumulator: StreamAccumulator
  readonly #turns: TurnClock
  readonly #limits: Limits
  readonly #refusal: Buffer[] = []
  #refusalBytes = 0
  #controller: Controller | undefined
  #used: UsedSocket | undefined
  #timer: NodeJS.Timeout | undefined
  #status = 0
  #over = false

  constructor(
    gateway: Gateway,
    request: GatewayRequest,
    accumulator: StreamAccumulator,
    turns: TurnClock,
    limits: Limits,
  ) {
    this.#gateway = gateway
    this.#request = request
    this.#accumulator = accumulator
    this.#turns = turns
    this.#limits = limits
  }

  /** Body of an answer with an error status, cut; `''`: there was none. For our own reading alone: gateways repeat keys and prompts in it. */
  get refusal(): string {
    return Buffer.concat(this.#refusal).toString()
  }

  start(): void {
    this.#accumulator.marks.dispatched = this.#turns.now()
    this.#dispatch('any')
  }

  /** The bench leaves. */
  abort(): void {
    this.#finish({ kind: 'client', error: 'interrupted' })
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#over) {
      controller.abort(new Error('the exchange is over'))
      return
    }
    askForSocket(this)
    const { firstByte } = this.#limits
    this.#timer ??= setTimeout(() => this.#finish({ kind: 'timeout', error: 'first_byte_timeout' }), firstByte)
  }

  onSocket(used: UsedSocket): void {
    this.#used = used
  }

  onResponseStart(_controller: Controller, status: number): void {
    if (status >= 200) this.#status = status
  }

  /** Runs once per chunk. */
  onResponseData(_controller: Controller, bytes: Buffer): void {
    if (this.#over) return
    if (this.#accumulator.bytes > 0) this.#timer?.refresh()
    else this.#awaitNext()
    if (this.#status < 400 || this.#refusalBytes >= keptRefusalBytes) return
    this.#refusal.push(Buffer.from(bytes.subarray(0, keptRefusalBytes)))
    this.#refusalBytes += bytes.length
  }

  /** The tap tells the accumulator of a proper end. */
  onResponseEnd(): void {
    this.#over = true
    clearTimeout(this.#timer)
  }

  onResponseError(_controller: Controller | undefined, error: Error): void {
    if (this.#over) return
    const { label } = failureOf(error)
    const answering = this.#status > 0
    // As the proxy does it: a kept-alive connection that the gateway had just closed is no fault of anybody's.
    if (!answering && this.#used?.reused === true && closedBeforeReading(error) && this.#accumulator.resends === 0) {
      this.#accumulator.resends++
      this.#dispatch('fresh')
      return
    }
    if (label === 'connect_timeout' && !answering) this.#finish({ kind: 'timeout', error: label })
    else this.#finish({ kind: 'gateway', error: answering && label === 'closed' ? 'reset' : label })
  }

  #awaitNext(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#finish({ kind: 'timeout', error: 'idle_timeout' }), this.#limits.idle)
  }

  #dispatch(connection: 'any' | 'fresh'): void {
    this.#used = undefined
    this.#gateway.dispatch(this.#request, this, this.#accumulator, () => this.#accumulator.breakOff(), connection)
  }

  #finish(cause: EndCause): void {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#timer)
    this.#accumulator.end(cause, this.#turns.now())
    this.#controller?.abort(new Error(cause.kind))
  }
}
