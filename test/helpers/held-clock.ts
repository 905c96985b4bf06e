import type { Clock, LoopIdle } from '../../src/stream/turn-clock.ts'

/** A clock that stands until it is set: figures are then exact, whatever the machine does. Milliseconds. */
export class HeldClock implements Clock, LoopIdle {
  #now = 0

  now(): number {
    return this.#now
  }

  /** As if the loop had never been busy. */
  idleMs(): number {
    return this.#now
  }

  set(ms: number): void {
    this.#now = ms
  }
}
