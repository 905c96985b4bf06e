// The regression alerts' statistic, as src/monitoring/distribution-shift.ts writes it in PromQL, for one app.
import { minute } from '../src/monitoring/duration.ts'
import { defaultSettings, type Severity, type ShiftLevel } from '../src/monitoring/settings.ts'

/** Seconds between two looks. */
export const step = 5 * minute

/** Cumulative counts at each step, bucket by bucket. */
export interface History {
  readonly steps: number
  readonly buckets: number
  /** Of `(step + 1) * buckets`: what was counted before the step's begin, cumulative over buckets, too. */
  readonly counts: Float64Array
}

interface Compared {
  readonly effect: number
  readonly significance: number
}

function compare(
  history: History,
  end: number,
  window: number,
  thenEnd: number,
  against: number,
): Compared | undefined {
  const { buckets, counts } = history
  const size = (seconds: number): number => Math.round(seconds / step)
  const [begin, thenBegin] = [end - size(window), thenEnd - size(against)]
  if (thenBegin < 0) return undefined
  const grown = (from: number, to: number, bucket: number): number =>
    (counts[to * buckets + bucket] as number) - (counts[from * buckets + bucket] as number)
  const now = grown(begin, end, buckets - 1)
  const then = grown(thenBegin, thenEnd, buckets - 1)
  if (now === 0 || then < defaultSettings.leastBaseline) return undefined
  let effect = 0
  for (let bucket = 0; bucket < buckets; bucket++)
    effect = Math.max(effect, grown(thenBegin, thenEnd, bucket) / then - grown(begin, end, bucket) / now)
  return { effect, significance: effect * Math.sqrt((now * then) / (now + then)) }
}

const holds = (compared: Compared | undefined, level: ShiftLevel, window: 'short' | 'long'): boolean =>
  compared !== undefined && compared.effect > level.effect && compared.significance > level.significance[window]

function levelFires(history: History, level: ShiftLevel, end: number): boolean {
  const against = defaultSettings.baselines.map((baseline) => {
    const then = end - Math.round(baseline / step)
    const long = compare(history, end, level.long, then, level.long)
    const short = compare(history, end, level.short, then + Math.round(level.long / 2 / step), level.long)
    return { there: long !== undefined, worse: holds(long, level, 'long') && holds(short, level, 'short') }
  })
  if (against.every(({ worse }) => worse)) return true
  return level.severity === 'ticket' && against.some(({ worse }) => worse) && against.some(({ there }) => !there)
}

/** Whether the alert fires at the step: it has held for as long as it must. */
export function firingAt(history: History, severity: Severity, at: number): boolean {
  const level = defaultSettings.shift.find((one) => one.severity === severity) as ShiftLevel
  for (let back = 0; back <= Math.ceil(level.for / step); back++)
    if (!levelFires(history, level, at - back)) return false
  return true
}
