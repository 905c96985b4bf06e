/** A pause this long makes the gap it lies in no inter-chunk sample. */
const longPauseMs = 5

/** How long the gateway was not read because the client did not read, ms. */
export class PauseTally {
  totalMs = 0
  #began: number | undefined
  #inGapMs = 0

  paused(at: number): void {
    this.#began ??= at
  }

  resumed(at: number): void {
    if (this.#began === undefined) return
    const lasted = Math.max(0, at - this.#began)
    this.#began = undefined
    this.totalMs += lasted
    this.#inGapMs += lasted
  }

  /** A gap between two output chunks is over: whether it held a pause too long to call it the gateway's. */
  endGap(): boolean {
    const held = this.#inGapMs >= longPauseMs
    this.#inGapMs = 0
    return held
  }
}
