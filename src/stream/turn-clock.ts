import { performance } from 'node:perf_hooks'

/** A monotonic clock, ms. Handed in, so that a test can set the time. */
export interface Clock {
  now(): number
}

/** How long the event loop has waited for events so far, ms. */
export interface LoopIdle {
  idleMs(): number
}

export const monotonicClock: Clock = { now: () => performance.now() }

export const loopIdle: LoopIdle = { idleMs: () => performance.nodeTiming.idleTime }

/**
 * One reading of the clock for each turn of the event loop.
 *
 * A chunk that is handled late in a busy turn arrived nearer to the turn's begin, so that is its mark. Only callbacks of the gateway's sockets
 * may call `mark()`: a timer that began a turn would make marks that lie before the gateway's write.
 */
export class TurnClock {
  /** Serial of the running turn: bytes with the same serial are one chunk. */
  serial = 0
  /** How long the loop was busy before this turn, ms: a chunk may have waited for as long as that. */
  busyBeforeMs = 0
  readonly #clock: Clock
  readonly #idle: LoopIdle
  #turn = 0
  #open = false
  #lastActive: number
  readonly #forget = (): void => {
    this.#open = false
  }

  constructor(clock: Clock = monotonicClock, idle: LoopIdle = loopIdle) {
    this.#clock = clock
    this.#idle = idle
    this.#lastActive = clock.now() - idle.idleMs()
  }

  /** A reading of its own, ms. For everything but the gateway's sockets. */
  now(): number {
    return this.#clock.now()
  }

  /** How long the loop has waited for events so far, ms: two readings tell how soon it could have noticed something in between. */
  idleMs(): number {
    return this.#idle.idleMs()
  }

  /** HOT PATH: runs once per chunk. The begin of the running turn, ms. */
  mark(): number {
    if (this.#open) return this.#turn
    this.#open = true
    // One immediate a turn: it runs in the check phase, right after the poll phase that the sockets are read in.
    setImmediate(this.#forget)
    this.#turn = this.#clock.now()
    this.serial++
    const active = this.#turn - this.#idle.idleMs()
    this.busyBeforeMs = Math.max(0, active - this.#lastActive)
    this.#lastActive = active
    return this.#turn
  }
}
