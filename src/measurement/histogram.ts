/** Bounds of buckets, ascending; the last bucket, above all bounds, has none. */
export type Bounds = Float64Array

/** Index of the bucket that `value` falls into: the first whose bound is at least `value`. */
export function bucketOf(bounds: Bounds, value: number): number {
  let low = 0
  let high = bounds.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (value <= (bounds[middle] as number)) high = middle
    else low = middle + 1
  }
  return low
}

/** A histogram of one label set. Counts are per bucket, not cumulative. */
export class Histogram {
  readonly bounds: Bounds
  /** One more than there are bounds. */
  readonly counts: Float64Array
  sum = 0
  count = 0

  constructor(bounds: Bounds) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  /** A value that is not finite or is negative is not recorded: it would spoil the sum for ever. */
  observe(value: number): void {
    if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) return
    const bucket = bucketOf(this.bounds, value)
    this.counts[bucket] = (this.counts[bucket] as number) + 1
    this.sum += value
    this.count++
  }

  /** Adds another histogram that has the same bounds. */
  merge(other: Histogram): void {
    for (let bucket = 0; bucket < this.counts.length; bucket++) {
      this.counts[bucket] = (this.counts[bucket] as number) + (other.counts[bucket] as number)
    }
    this.sum += other.sum
    this.count += other.count
  }
}

/** A gap over this is a stall. */
export const stallSeconds = 1

/** The inter-chunk times of one stream, in seconds: bounded in memory however long the stream runs. */
export class GapHistogram extends Histogram {
  longest = 0
  stalls = 0
  stallSeconds = 0

  override observe(gap: number): void {
    super.observe(gap)
    if (gap > this.longest) this.longest = gap
    if (gap > stallSeconds) {
      this.stalls++
      this.stallSeconds += gap
    }
  }
}
