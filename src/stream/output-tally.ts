import type { PhaseCounts } from '../measurement/stream-measurement.ts'

/** Counts output events and the chunks that hold them, of one phase or of all. Times are handed in. */
export class OutputTally {
  events = 0
  chunks = 0
  chars = 0
  #firstChunkEvents = 0
  #firstChunkChars = 0
  #firstChunkTokens: number | undefined
  #everyEventHadUsage = true
  #turn = -1

  /**
   * HOT PATH: runs once per output event.
   *
   * @param turn serial of the chunk that completed the event
   * @param tokens cumulative generated tokens by this event's own usage
   * @returns whether the event is the first of its chunk
   */
  add(turn: number, chars: number, tokens: number | undefined): boolean {
    const first = turn !== this.#turn
    if (first) {
      this.#turn = turn
      this.chunks++
    }
    this.events++
    this.chars += chars
    if (tokens === undefined) this.#everyEventHadUsage = false
    if (this.chunks === 1) {
      this.#firstChunkEvents++
      this.#firstChunkChars += chars
      this.#firstChunkTokens = tokens
    }
    return first
  }

  counts(): PhaseCounts {
    return Object.freeze({
      events: this.events,
      chunks: this.chunks,
      chars: this.chars,
      firstChunkEvents: this.#firstChunkEvents,
      firstChunkChars: this.#firstChunkChars,
      firstChunkTokens: this.#everyEventHadUsage ? this.#firstChunkTokens : undefined,
    })
  }
}
