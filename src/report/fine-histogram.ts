/** Each bucket is a twentieth wider than the one before: a percentile is off by 5 % at most, by 1 or 2 % as a rule. */
const growth = 1.05
const buckets = 320
/** Fine buckets of one bin of a picture. */
const perBin = 10
/** How much wider each bin is than the one before. */
export const binGrowth = growth ** perBin
/** How sure one may be that the largest of n values lies above a percentile: below this it is not told. */
const confidence = 0.95

/** Whether n values tell the quantile at all: 5 for the median, 59 for the 95th percentile (1 - 0.95^59 = 0.95). */
export const supports = (quantile: number, n: number): boolean => 1 - quantile ** n >= confidence

/** The values of one figure for one model, in 1.3 KB. Zero and less fall into the lowest bucket. */
export class FineHistogram {
  readonly #lowest: number
  readonly #counts = new Uint32Array(buckets)
  count = 0
  #least = Number.POSITIVE_INFINITY
  #most = 0

  /** `lowest`: upper end of the lowest bucket; the highest begins about six million times above it. */
  constructor(lowest: number) {
    this.#lowest = lowest
  }

  observe(value: number): void {
    const bucket = Math.ceil(Math.log(value / this.#lowest) / Math.log(growth))
    const within = Math.min(buckets - 1, Math.max(0, bucket || 0))
    this.#counts[within] = (this.#counts[within] as number) + 1
    this.count++
    this.#least = Math.min(this.#least, value)
    this.#most = Math.max(this.#most, value)
  }

  /** Adds one with the same lowest bucket. */
  merge(other: FineHistogram): void {
    for (let bucket = 0; bucket < buckets; bucket++) {
      this.#counts[bucket] = (this.#counts[bucket] as number) + (other.#counts[bucket] as number)
    }
    this.count += other.count
    this.#least = Math.min(this.#least, other.#least)
    this.#most = Math.max(this.#most, other.#most)
  }

  /** By nearest rank; `undefined` where the values are too few for it. */
  quantile(quantile: number): number | undefined {
    if (!supports(quantile, this.count)) return undefined
    let rank = Math.ceil(quantile * this.count)
    let bucket = 0
    while (rank > (this.#counts[bucket] as number)) rank -= this.#counts[bucket++] as number
    // Where in its bucket, as if the values there lay evenly.
    const inside = (rank - 0.5) / (this.#counts[bucket] as number)
    const between = this.#lowest * growth ** (bucket - 1 + inside)
    return Math.min(this.#most, Math.max(this.#least, between))
  }

  /** Counts for a picture, each bin 1.63 times as wide as the one before, without the empty ones at the ends. */
  bins(): { readonly first: number; readonly counts: number[] } {
    const counts = Array.from({ length: buckets / perBin }, (_, bin) =>
      this.#counts.subarray(bin * perBin, (bin + 1) * perBin).reduce((sum, count) => sum + count, 0),
    )
    const first = counts.findIndex((count) => count > 0)
    const last = counts.findLastIndex((count) => count > 0)
    return first < 0 ? { first: 0, counts: [] } : { first, counts: counts.slice(first, last + 1) }
  }
}
