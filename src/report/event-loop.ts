import type { GaugeChild, HistogramChild } from './families.ts'

/** Shorter delays are timers' own coarseness and ordinary turns. */
const shortestStallMs = 10
const everyMs = 20
const windowSeconds = 60
/** The last stalls that are remembered one by one, from this length on. */
export const remembered = 128
const longStallSeconds = 0.05

export interface EventLoopStall {
  readonly seconds: number
  /** On the clock that was handed in, ms. */
  readonly at: number
}

/**
 * Tells for how long the event loop was held: a timer that finds itself late was held up.
 *
 * Node's `monitorEventLoopDelay` is not used: it counts its own sampling period as delay (p50 of 10 ms at idle), its percentiles hide a single
 * block of 200 ms among the samples, and who reads it resets it, so that two scrapers halve each other's view. Here a stall is one sample, and
 * the maximum is kept by second, whoever reads it. A stall is understated by at most the timer's 20 ms, which it may have begun within.
 */
export class EventLoopWatch {
  readonly #clock: () => number
  readonly #stalls: HistogramChild
  readonly #maximum: GaugeChild
  /** The longest stall of each of the last seconds, seconds, and the second it belongs to. */
  readonly #longest = new Float64Array(windowSeconds)
  readonly #second = new Float64Array(windowSeconds).fill(-1)
  readonly #timer: NodeJS.Timeout
  #due: number
  #last: EventLoopStall | undefined
  readonly #long: EventLoopStall[] = []

  /** `clock` in milliseconds. Keeps no process alive. */
  constructor(clock: () => number, stalls: HistogramChild, maximum: GaugeChild) {
    this.#clock = clock
    this.#stalls = stalls
    this.#maximum = maximum
    this.#due = clock() + everyMs
    this.#timer = setInterval(() => this.tick(), everyMs).unref()
  }

  /** The timer's turn; called from elsewhere only by tests. */
  tick(): void {
    const now = this.#clock()
    const late = now - this.#due
    // Node counts an interval from the turn it ran in.
    this.#due = now + everyMs
    if (late < shortestStallMs) return
    const seconds = late / 1000
    this.#stalls.observe(seconds)
    this.#last = { seconds, at: now }
    if (seconds >= longStallSeconds) {
      if (this.#long.length === remembered) this.#long.shift()
      this.#long.push(this.#last)
    }
    const second = Math.floor(now / 1000)
    const slot = second % windowSeconds
    const known = this.#second[slot] === second ? (this.#longest[slot] as number) : 0
    this.#second[slot] = second
    this.#longest[slot] = Math.max(known, seconds)
  }

  /** Sets the gauge; to be called at the scrape. */
  read(): void {
    const oldest = Math.floor(this.#clock() / 1000) - windowSeconds
    let longest = 0
    for (let slot = 0; slot < windowSeconds; slot++) {
      if ((this.#second[slot] as number) > oldest) longest = Math.max(longest, this.#longest[slot] as number)
    }
    this.#maximum.value = longest
  }

  get lastStall(): EventLoopStall | undefined {
    return this.#last
  }

  /** The last ones of 50 ms and more, the oldest first. */
  get longStalls(): readonly EventLoopStall[] {
    return this.#long
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
