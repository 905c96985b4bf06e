import type { Random } from './random.ts'
import { ascending, type Interval, median } from './statistics.ts'

const defaultResamples = 2000

/**
 * The ratio of two medians, second by first, with its percentile bootstrap interval. Values are positive.
 *
 * @returns `undefined` where a sample has fewer than two values or its median is not above zero
 */
export function medianRatio(
  first: readonly number[],
  second: readonly number[],
  random: Random,
  { confidence = 0.95, resamples = defaultResamples }: { confidence?: number; resamples?: number } = {},
): { ratio: number; interval: Interval } | undefined {
  const [below, above] = [ascending(first), ascending(second)]
  const [from, to] = [median(below), median(above)]
  if (below.length < 2 || above.length < 2 || !(from !== undefined && from > 0) || !(to !== undefined && to > 0)) {
    return undefined
  }
  const ratios = new Float64Array(resamples)
  for (let at = 0; at < resamples; at++) ratios[at] = resampledMedian(above, random) / resampledMedian(below, random)
  ratios.sort()
  const tail = Math.floor(((1 - confidence) / 2) * resamples)
  return {
    ratio: to / from,
    interval: { low: ratios[tail] as number, high: ratios[resamples - 1 - tail] as number, coverage: confidence },
  }
}

/** Median of as many values drawn with replacement. Ranks are drawn and counted: cheaper than sorting each time. */
function resampledMedian(sorted: readonly number[], random: Random): number {
  const n = sorted.length
  const counts = new Uint16Array(n)
  for (let draw = 0; draw < n; draw++) {
    const at = Math.floor(random() * n)
    counts[at] = (counts[at] as number) + 1
  }
  const middle = n >> 1
  const upper = valueAtRank(sorted, counts, middle)
  return n % 2 === 1 ? upper : (valueAtRank(sorted, counts, middle - 1) + upper) / 2
}

function valueAtRank(sorted: readonly number[], counts: Uint16Array, rank: number): number {
  let seen = 0
  for (let at = 0; at < sorted.length; at++) {
    seen += counts[at] as number
    if (seen > rank) return sorted[at] as number
  }
  return sorted.at(-1) as number
}
