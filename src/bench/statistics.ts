/** Order statistics. Nothing here assumes a shape of the distribution: latencies are skewed and have two humps. */

export interface Interval {
  readonly low: number
  readonly high: number
  /** Probability, over repeated experiments, that such an interval holds the true value. */
  readonly coverage: number
}

export interface Bound {
  readonly value: number
  /** Probability, over repeated experiments, that the true quantile is no larger. */
  readonly coverage: number
}

export const ascending = (values: Iterable<number>): number[] => [...values].sort((a, b) => a - b)

/** Of sorted values; the mean of the two in the middle where their number is even. `undefined`: there are none. */
export function median(sorted: readonly number[]): number | undefined {
  const middle = sorted.length >> 1
  const upper = sorted[middle]
  if (upper === undefined || sorted.length % 2 === 1) return upper
  return ((sorted[middle - 1] as number) + upper) / 2
}

/** The interval from the k-th to the (n + 1 - k)-th of n values. */
export interface Ranks {
  /** From 1. */
  readonly low: number
  readonly high: number
  readonly coverage: number
}

/**
 * The narrowest symmetric pair of order statistics that holds the median with at least this probability, whatever the distribution: between
 * the k-th smallest and the k-th largest it lies unless fewer than k values fell on one side of it, which is binomial with 1/2.
 *
 * @returns `undefined` where even the extremes are not enough (n < 6 for 95 %)
 */
export function medianRanks(n: number, confidence = 0.95): Ranks | undefined {
  let found: Ranks | undefined
  for (let k = 1; 2 * k <= n; k++) {
    const coverage = 1 - 2 * binomialAtMost(k - 1, n, 0.5)
    if (coverage < confidence) break
    found = { low: k, high: n + 1 - k, coverage }
  }
  return found
}

/** Exact interval of the median of sorted values; at least `confidence`. */
export function medianInterval(sorted: readonly number[], confidence = 0.95): Interval | undefined {
  const ranks = medianRanks(sorted.length, confidence)
  if (ranks === undefined) return undefined
  return {
    low: sorted[ranks.low - 1] as number,
    high: sorted[ranks.high - 1] as number,
    coverage: ranks.coverage,
  }
}

/**
 * A one-sided upper bound of a quantile: the smallest order statistic that is no less than it with at least this probability. For p95 there is
 * none below 59 values, for p99 none below 299: the largest of fewer is too often below.
 */
export function quantileBound(sorted: readonly number[], quantile: number, confidence = 0.95): Bound | undefined {
  const n = sorted.length
  if (n === 0 || binomialAtMost(n - 1, n, quantile) < confidence) return undefined
  let rank = Math.max(1, Math.ceil(n * quantile))
  while (binomialAtMost(rank - 1, n, quantile) < confidence) rank++
  return { value: sorted[rank - 1] as number, coverage: binomialAtMost(rank - 1, n, quantile) }
}

/** The same from below: for rates, where small is bad. */
export function lowerQuantileBound(sorted: readonly number[], quantile: number, confidence = 0.95): Bound | undefined {
  const bound = quantileBound(sorted.map((value) => -value).reverse(), 1 - quantile, confidence)
  return bound && { value: -bound.value, coverage: bound.coverage }
}

/** Fewest values for a bound of the quantile. */
export function fewestForBound(quantile: number, confidence = 0.95): number {
  return Math.ceil(Math.log(1 - confidence) / Math.log(quantile))
}

/** P(X <= k) of n trials that succeed with probability p each. Summed in logarithms: 0.5 ** 2000 is 0 otherwise. */
export function binomialAtMost(k: number, n: number, p: number): number {
  if (k < 0) return 0
  if (k >= n) return 1
  const odds = Math.log(p) - Math.log1p(-p)
  let term = n * Math.log1p(-p)
  let sum = 0
  for (let hits = 0; hits <= k; hits++) {
    sum += Math.exp(term)
    term += odds + Math.log(n - hits) - Math.log(hits + 1)
  }
  return Math.min(1, sum)
}
