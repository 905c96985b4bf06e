import type { ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'
import type { StreamAccumulator } from '../stream/stream-accumulator.ts'
import type { TurnClock } from '../stream/turn-clock.ts'
import type { TimeLimits } from './time-limits.ts'

export interface PaceOptions {
  readonly response: ServerResponse
  readonly accumulator: StreamAccumulator
  readonly turns: TurnClock
  /** The observer failed: the exchange goes on, unmeasured. */
  readonly onBroken: (error: unknown) => void
}

/** Keeps the gateway to the pace at which the client reads. */
export class ClientPace {
  readonly #o: PaceOptions
  readonly #limits: TimeLimits
  readonly #guard: (act: () => void) => void
  #controller: Dispatcher.DispatchController | undefined

  constructor(options: PaceOptions, limits: TimeLimits, guard: (act: () => void) => void) {
    this.#o = options
    this.#limits = limits
    this.#guard = guard
  }

  /** The client has as much as it takes for now: the gateway is not read until it reads on. */
  hold(controller: Dispatcher.DispatchController): void {
    const { response } = this.#o
    this.#controller = controller
    controller.pause()
    // An answer that waits behind another one (pipelining) is not held up by its client.
    if (response.socket !== null) this.#limits.paused()
    this.#tell('paused')
    response.once('drain', this.#onDrain)
  }

  stop(): void {
    this.#o.response.off('drain', this.#onDrain)
  }

  readonly #onDrain = (): void =>
    this.#guard(() => {
      this.#limits.resumed()
      this.#tell('resumed')
      this.#controller?.resume()
    })

  /** As the tap does: an observer that throws is muted, and the bytes go on. */
  #tell(what: 'paused' | 'resumed'): void {
    const { accumulator, turns, onBroken } = this.#o
    try {
      if (!accumulator.broken) accumulator[what](turns.now())
    } catch (error) {
      onBroken(error)
    }
  }
}
