/** Rank tests and the correction for asking many questions at once. */

export interface RankTest {
  /** U of the first sample: pairs in which its value is the larger one; ties count half. */
  readonly u: number
  /** Two-sided. */
  readonly p: number
  readonly method: 'exact' | 'normal'
}

/** Up to here the distribution of U is counted out; without ties alone. */
const mostExactPairs = 2500

/** Whether values of one sample tend to be larger than those of the other (Mann and Whitney 1947). `undefined`: a sample is empty. */
export function mannWhitney(first: readonly number[], second: readonly number[]): RankTest | undefined {
  const [m, n] = [first.length, second.length]
  if (m === 0 || n === 0) return undefined
  const { rankSum, ties } = rankSumOf(first, second)
  const u = rankSum - (m * (m + 1)) / 2
  if (ties === 0 && m * n <= mostExactPairs) return { u, p: exactP(u, m, n), method: 'exact' }
  const total = m + n
  const variance = ((m * n) / 12) * (total + 1 - ties / (total * (total - 1)))
  if (!(variance > 0)) return { u, p: 1, method: 'normal' }
  const distance = Math.max(0, Math.abs(u - (m * n) / 2) - 0.5)
  return { u, p: Math.min(1, 2 * normalAbove(distance / Math.sqrt(variance))), method: 'normal' }
}

/** Sum of the first sample's ranks, equal values sharing the mean of theirs; and the sum of t³ - t over groups of t equal values. */
function rankSumOf(first: readonly number[], second: readonly number[]): { rankSum: number; ties: number } {
  const all = [...first.map((value) => ({ value, own: 1 })), ...second.map((value) => ({ value, own: 0 }))]
  all.sort((a, b) => a.value - b.value)
  let rankSum = 0
  let ties = 0
  for (let at = 0; at < all.length; ) {
    let end = at
    let own = 0
    while (end < all.length && all[end]?.value === all[at]?.value) own += (all[end++] as { own: number }).own
    const size = end - at
    rankSum += own * ((at + 1 + end) / 2)
    ties += size ** 3 - size
    at = end
  }
  return { rankSum, ties }
}

/** Counts the arrangements with each U: ways(m, n, u) = ways(m - 1, n, u - n) + ways(m, n - 1, u). */
function exactP(u: number, m: number, n: number): number {
  const pairs = m * n
  let rows: Float64Array[] = Array.from({ length: n + 1 }, () => Float64Array.of(1))
  for (let i = 1; i <= m; i++) {
    const next: Float64Array[] = [Float64Array.of(1)]
    for (let j = 1; j <= n; j++) {
      const ways = new Float64Array(i * j + 1)
      const [above, beside] = [rows[j] as Float64Array, next[j - 1] as Float64Array]
      // Shares, not numbers: those overflow. Of i + j values the largest belongs to the first sample i times of i + j.
      const [ofFirst, ofSecond] = [i / (i + j), j / (i + j)]
      for (let k = 0; k < above.length; k++) ways[k + j] = ofFirst * (above[k] as number)
      for (let k = 0; k < beside.length; k++) ways[k] = (ways[k] as number) + ofSecond * (beside[k] as number)
      next.push(ways)
    }
    rows = next
  }
  const shares = rows[n] as Float64Array
  let tail = 0
  for (let k = 0; k <= Math.min(u, pairs - u); k++) tail += shares[k] as number
  return Math.min(1, 2 * tail)
}

/** P(Z > z) of the standard normal distribution, to about 1e-7 of itself (the rational Chebyshev fit of Numerical Recipes, section 6.2). */
export function normalAbove(z: number): number {
  if (z < 0) return 1 - normalAbove(-z)
  const x = z / Math.SQRT2
  const t = 1 / (1 + 0.5 * x)
  const coefficients = [
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368,
    -1.26551223,
  ]
  const polynomial = coefficients.reduce((sum, coefficient) => sum * t + coefficient, 0)
  return 0.5 * t * Math.exp(-x * x + polynomial)
}

/** Holm's step-down adjustment: below 0.05 afterwards means that at most one run of all questions in twenty errs anywhere. In the order given. */
export function holm(ps: readonly number[]): number[] {
  const order = [...ps.keys()].sort((a, b) => (ps[a] as number) - (ps[b] as number))
  const adjusted: number[] = new Array(ps.length)
  let largest = 0
  for (const [step, index] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (ps.length - step) * (ps[index] as number)))
    adjusted[index] = largest
  }
  return adjusted
}
