import { latencyBuckets, tokenRateBuckets } from '../../src/measurement/buckets.ts'
import { bucketOf } from '../../src/measurement/histogram.ts'
import type { Series } from './promtool.ts'
import { seededRandom } from './seeded-random.ts'

export const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** Events of an interval in which `mean` are expected. */
export function poisson(random: () => number, mean: number): number {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)))
  const limit = Math.exp(-mean)
  let count = 0
  for (let product = random(); product > limit; product *= random()) count++
  return count
}

const boundLabel = (bound: number): string => (Number.isInteger(bound) ? `${bound}.0` : String(bound))

/** The part of the time for which there is data. */
export interface Span {
  /** Seconds. */
  readonly from: number
  readonly to: number
}

export interface Traffic {
  readonly labels: Readonly<Record<string, string>>
  /** Requests a second. */
  rate(time: number): number
  /** A value of one request. */
  sample(random: () => number, time: number): number
  /** Times at which the process starts anew, with all counters at 0. */
  readonly restarts?: readonly number[]
}

export interface Frame {
  readonly interval: number
  readonly to: number
  /** Default: everything. */
  readonly spans?: readonly Span[]
  readonly seed: number
  /** Events come evenly instead of by chance, and agree with counters of the same rate. */
  readonly even?: boolean
}

const inSpans = (time: number, spans: readonly Span[] | undefined): boolean =>
  spans === undefined || spans.some(({ from, to }) => time >= from && time <= to)

/** The series of a histogram fed by such traffic, with `_count`. */
export function histogramOf(metric: string, bounds: readonly number[], traffic: Traffic, frame: Frame): Series[] {
  const random = seededRandom(frame.seed)
  const typed = Float64Array.from(bounds)
  const counts = new Float64Array(bounds.length + 1)
  const columns: (number | undefined)[][] = Array.from({ length: bounds.length + 1 }, () => [])
  let due = 0
  const restarts = new Set((traffic.restarts ?? []).map((time) => Math.round(time / frame.interval)))
  for (let step = 0; step * frame.interval <= frame.to; step++) {
    const time = step * frame.interval
    const there = inSpans(time, frame.spans)
    if (restarts.has(step)) counts.fill(0)
    if (there) {
      const mean = traffic.rate(time) * frame.interval
      due += mean
      const events = frame.even === true ? Math.floor(due) : poisson(random, mean)
      if (frame.even === true) due -= events
      for (let event = 0; event < events; event++) {
        const bucket = bucketOf(typed, traffic.sample(random, time))
        counts[bucket] = (counts[bucket] as number) + 1
      }
    }
    let sum = 0
    for (let bucket = 0; bucket < counts.length; bucket++) {
      sum += counts[bucket] as number
      columns[bucket]?.push(there ? sum : undefined)
    }
  }
  const series = columns.map((values, bucket): Series => {
    const bound = bounds[bucket]
    const le = bound === undefined ? '+Inf' : boundLabel(bound)
    return { name: `streamgauge_${metric}_bucket`, labels: { ...traffic.labels, le }, values }
  })
  const all = series.at(-1) as Series
  return [...series, { name: `streamgauge_${metric}_count`, labels: traffic.labels, values: all.values }]
}

export const ttftOf = (traffic: Traffic, frame: Frame): Series[] =>
  histogramOf('time_to_first_token_seconds', latencyBuckets, traffic, frame)

export const tokenRatesOf = (traffic: Traffic, frame: Frame): Series[] =>
  histogramOf('output_tokens_per_second', tokenRateBuckets, traffic, frame)

/** A log-normal distribution by its median. */
export const logNormal =
  (median: (time: number) => number, sigma = 0.5) =>
  (random: () => number, time: number): number =>
    median(time) * Math.exp(sigma * normal(random))

/** A counter that grows by so much a second. */
export function counterOf(
  name: string,
  labels: Readonly<Record<string, string>>,
  perSecond: (time: number) => number,
  frame: Pick<Frame, 'interval' | 'to'> & { readonly restarts?: readonly number[] },
): Series {
  const values: number[] = []
  let value = 0
  const restarts = new Set((frame.restarts ?? []).map((time) => Math.round(time / frame.interval)))
  for (let step = 0; step * frame.interval <= frame.to; step++) {
    if (restarts.has(step)) value = 0
    if (step > 0) value += perSecond(step * frame.interval) * frame.interval
    values.push(Math.round(value * 1000) / 1000)
  }
  return { name: `streamgauge_${name}`, labels, values }
}

export function gaugeOf(
  name: string,
  labels: Readonly<Record<string, string>>,
  value: (time: number) => number | undefined,
  frame: Pick<Frame, 'interval' | 'to'>,
): Series {
  const steps = Math.floor(frame.to / frame.interval) + 1
  return { name, labels, values: Array.from({ length: steps }, (_, step) => value(step * frame.interval)) }
}
