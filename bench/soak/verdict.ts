import { kinds, type PlannedExchange } from './plan.ts'
import type { Sample } from './proxy-process.ts'

/** Outcomes that an exchange may have had; the proxy was stopping: those of its end, too. */
export function mayBe(plan: PlannedExchange, outcome: string, stopping: boolean): boolean {
  if (outcome === kinds[plan.kind].outcome) return true
  if (plan.client === 'leaves' && outcome === 'client_abort') return true
  return stopping && (outcome === 'shutdown' || outcome === 'rejected')
}

/** Least squares: how much a figure grows, per minute. */
export function slopePerMinute(samples: readonly Sample[], of: (sample: Sample) => number): number {
  const n = samples.length
  if (n < 2) return 0
  const meanAt = samples.reduce((sum, { at }) => sum + at, 0) / n
  const mean = samples.reduce((sum, sample) => sum + of(sample), 0) / n
  let above = 0
  let below = 0
  for (const sample of samples) {
    above += (sample.at - meanAt) * (of(sample) - mean)
    below += (sample.at - meanAt) ** 2
  }
  return below === 0 ? 0 : (above / below) * 60
}

/** Samples after the first third: until then the process is warming up. */
export function warm(samples: readonly Sample[]): readonly Sample[] {
  return samples.slice(Math.floor(samples.length / 3))
}

/**
 * Whether memory runs away: the last quarter's smallest heap against that after the warm-up. Collections make single readings jump, the smallest of
 * several does not.
 */
export function heapGrowth(samples: readonly Sample[]): number {
  const after = warm(samples)
  const quarter = Math.max(1, Math.floor(after.length / 4))
  const least = (list: readonly Sample[]): number => Math.min(...list.map(({ heap }) => heap))
  return after.length === 0 ? 1 : least(after.slice(-quarter)) / least(after.slice(0, quarter))
}
