// Requests of a model over weeks: a daily load curve, quiet weekends, a backend that feels its load and drifts, some long prompts.

import { latencyBuckets } from '../src/measurement/buckets.ts'
import { bucketOf } from '../src/measurement/histogram.ts'
import { day, hour } from '../src/monitoring/duration.ts'
import { type History, step } from './alert-statistic.ts'
import { seededRandom } from './seeded-random.ts'

export interface TrafficPlan {
  readonly seed: number
  /** Mean over the week. */
  readonly perSecond: number
  readonly days: number
  /** Standard deviation of the backend's own drift, whose correlation lasts about an hour. 0.15: 15 %. */
  readonly drift: number
  /** From a step on everything takes so many times as long. */
  readonly slower?: { readonly from: number; readonly factor: number }
}

const sigma = 0.5
const longPrompts = 0.06

/** 0 to 1.6, 1 on average: nights are quiet, weekends are half. */
function load(time: number): number {
  const weekend = Math.floor(time / day) % 7 >= 5
  return (1 - 0.8 * Math.cos((2 * Math.PI * time) / day)) * (weekend ? 0.6 : 1.16)
}

export function recordTraffic({ seed, perSecond, days, drift, slower }: TrafficPlan): History {
  const random = seededRandom(seed)
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const bounds = Float64Array.from(latencyBuckets)
  const buckets = bounds.length + 1
  const steps = Math.floor((days * day) / step)
  const counts = new Float64Array((steps + 1) * buckets)
  const own = new Float64Array(buckets)
  const memory = Math.exp(-step / hour)
  let wandering = normal()
  for (let at = 0; at < steps; at++) {
    const time = at * step
    wandering = memory * wandering + Math.sqrt(1 - memory ** 2) * normal()
    const busy = load(time)
    const factor = slower !== undefined && at >= slower.from ? slower.factor : 1
    const median = 0.6 * (1 + 0.25 * busy) * Math.exp(drift * wandering) * factor
    const mean = perSecond * busy * step
    const events = Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()))
    own.fill(0)
    for (let event = 0; event < events; event++) {
      const seconds = median * Math.exp(sigma * normal()) * (random() < longPrompts ? 4 : 1)
      const bucket = bucketOf(bounds, seconds)
      own[bucket] = (own[bucket] as number) + 1
    }
    let sum = 0
    for (let bucket = 0; bucket < buckets; bucket++) {
      sum += own[bucket] as number
      counts[(at + 1) * buckets + bucket] = (counts[at * buckets + bucket] as number) + sum
    }
  }
  return { steps, buckets, counts }
}
