/** The watch's own period, ms: it sees what holds the loop for longer. */
const everyMs = 5
/** Shorter delays are the timer's own coarseness. */
const shortestMs = 2
const keptStalls = 4096
/** Sockets are read right after the timers of the same turn. */
const sameTurnMs = 2

/**
 * When the bench's own event loop was held, by its own work or because the machine gave it no processor: a mark taken then is late.
 */
export class LoopWatch {
  readonly #clock: () => number
  readonly #from = new Float64Array(keptStalls)
  readonly #to = new Float64Array(keptStalls)
  readonly #timer: NodeJS.Timeout
  #count = 0
  #due: number
  longestMs = 0
  /** Sum of all stalls, ms. */
  heldMs = 0

  /** `clock`: that of the marks, ms. Keeps no process alive. */
  constructor(clock: () => number) {
    this.#clock = clock
    this.#due = clock() + everyMs
    this.#timer = setInterval(() => this.tick(), everyMs).unref()
  }

  /** The timer's turn; called from elsewhere only by tests. */
  tick(): void {
    const now = this.#clock()
    const late = now - this.#due
    if (late >= shortestMs) {
      const slot = this.#count++ % keptStalls
      this.#from[slot] = this.#due
      this.#to[slot] = now
      this.heldMs += late
      if (late > this.longestMs) this.longestMs = late
    }
    this.#due = now + everyMs
  }

  /** Upper bound of how late a mark can be because the loop was held, ms. Known for about the last 4000 stalls. */
  latenessAt(mark: number | undefined): number {
    if (mark === undefined) return 0
    for (let back = 1; back <= Math.min(this.#count, keptStalls); back++) {
      const slot = (this.#count - back) % keptStalls
      const [from, to] = [this.#from[slot] as number, this.#to[slot] as number]
      if (to + sameTurnMs < mark) return 0
      if (from <= mark) return Math.min(mark, to) - from
    }
    return 0
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
