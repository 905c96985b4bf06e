/** Bounds of the histograms. definitions.md, "Buckets", says why these. */

/** Seconds, for waits that people feel. */
export const latencyBuckets: readonly number[] = [
  0.02, 0.03, 0.04, 0.055, 0.08, 0.11, 0.15, 0.2, 0.3, 0.4, 0.55, 0.75, 1, 1.5, 2, 3, 4, 5.5, 8, 11, 15, 20, 30, 45, 60,
  90, 120, 300, 600,
]

/** Seconds between chunks and per token. */
export const gapBuckets: readonly number[] = [
  0.001, 0.0015, 0.0025, 0.004, 0.006, 0.008, 0.011, 0.015, 0.02, 0.028, 0.04, 0.055, 0.075, 0.1, 0.14, 0.2, 0.28, 0.4,
  0.6, 1, 1.6, 2.8, 5, 10,
]

/** Tokens per second. */
export const tokenRateBuckets: readonly number[] = [
  1, 1.5, 2.5, 4, 6, 8, 11, 15, 20, 28, 40, 55, 75, 100, 140, 200, 280, 400, 550, 800, 1100, 1500, 2200, 3000,
]

/** Characters per second: a token has about four. */
export const charRateBuckets: readonly number[] = tokenRateBuckets.map((bound) => bound * 4)

/** Seconds that the proxy itself costs or cannot see. */
export const overheadBuckets: readonly number[] = [
  0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5,
]
