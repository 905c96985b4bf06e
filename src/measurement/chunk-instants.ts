import { stallSeconds } from './histogram.ts'

/** Samples kept of one stream, and stalls: about 1.2 KB, however long it runs. */
const mostInstants = 256
/** Room at first: so little lies in the heap of the objects, where it costs next to nothing. */
const fewInstants = 16
const mostStalls = 16

export interface Stall {
  /** ms after `received`. */
  readonly from: number
  readonly to: number
}

/**
 * When the chunks with output came: all of the first 256, then every second, every fourth and so on, so that what is kept is spread over the
 * whole stream. For pictures alone: figures are made of the marks and the histogram of gaps, which see every chunk.
 */
export class ChunkInstants {
  /** Every how many-th chunk is kept; successive instants are gaps only where it is 1. */
  stride = 1
  /** Of all chunks seen. */
  seen = 0
  /** Kept. */
  length = 0
  /** ms after `#origin`: single precision holds ten minutes to a sixteenth of a millisecond. */
  #after = new Float32Array(fewInstants)
  #stalls: Float32Array | undefined
  #stallCount = 0
  readonly #origin: number

  /** `origin`: the instant of `received`, ms. */
  constructor(origin: number) {
    this.#origin = origin
  }

  /** HOT PATH: runs once per chunk with output. `at` in ms. */
  add(at: number): void {
    const index = this.seen++
    if (index % this.stride !== 0) return
    if (this.length === this.#after.length) {
      this.#makeRoom()
      if (index % this.stride !== 0) return
    }
    this.#after[this.length++] = at - this.#origin
  }

  /** A gap that the gateway made, between two chunks with output. Kept where it is a stall and there is room. */
  gap(from: number, to: number): void {
    if ((to - from) / 1000 <= stallSeconds || this.#stallCount === mostStalls) return
    this.#stalls ??= new Float32Array(2 * mostStalls)
    const slot = 2 * this.#stallCount++
    this.#stalls[slot] = from - this.#origin
    this.#stalls[slot + 1] = to - this.#origin
  }

  /**
   * At most `most` instants in ms after `received`, the first of them the first token: again every second, fourth … of what is kept, so that
   * those of a growing stream stand still.
   */
  list(most = mostInstants): number[] {
    let step = 1
    while (Math.ceil(this.length / step) > most) step *= 2
    const instants: number[] = []
    for (let index = 0; index < this.length; index += step) instants.push(this.#after[index] as number)
    return instants
  }

  stalls(): Stall[] {
    return Array.from({ length: this.#stallCount }, (_, index) => ({
      from: this.#stalls?.[2 * index] as number,
      to: this.#stalls?.[2 * index + 1] as number,
    }))
  }

  #makeRoom(): void {
    if (this.length === mostInstants) {
      this.#thin()
      return
    }
    const larger = new Float32Array(4 * this.length)
    larger.set(this.#after)
    this.#after = larger
  }

  #thin(): void {
    this.stride *= 2
    this.length = mostInstants / 2
    for (let index = 0; index < this.length; index++) this.#after[index] = this.#after[2 * index] as number
  }
}
