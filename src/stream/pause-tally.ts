/** A pause this long makes the gap it lies in no inter-chunk sample. */
export const longPauseMs = 5

/** How long the gateway was not read because the client did not read, ms. */
export class PauseTally {
  totalMs = 0
  #began: number | undefined

  paused(at: number): void {
    this.#began ??= at
  }

  resumed(at: number): void {
    if (this.#began === undefined) return
    this.totalMs += Math.max(0, at - this.#began)
    this.#began = undefined
  }
}
