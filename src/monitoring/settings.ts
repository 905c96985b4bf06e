import { latencyBuckets } from '../measurement/buckets.ts'
import { day, duration, hour, minute, week } from './duration.ts'

export type Severity = 'page' | 'ticket'

/** A level of the alerts that compare two distributions. Durations in seconds. */
export interface ShiftLevel {
  readonly severity: Severity
  /** The short window says that it is so still, the long one that it is no chance. */
  readonly short: number
  /** Also the length of the baseline. */
  readonly long: number
  /** Least difference between the two cumulative shares at any bound, 0 to 1. */
  readonly effect: number
  /** Least difference in units of its standard error, for each window (Kolmogorov and Smirnov's statistic). */
  readonly significance: { readonly short: number; readonly long: number }
  readonly for: number
}

/** An objective for the time to first token: at least `objective` of the streams have it within `threshold`. */
export interface LatencyObjective {
  readonly name: string
  /** Seconds; a bound of the histogram. */
  readonly threshold: number
  /** 0 to 1. */
  readonly objective: number
  /** Models that it holds for: a regular expression of RE2. */
  readonly models: string
}

/** The budget burns `factor` times as fast as the objective allows, over both windows. */
export interface BurnLevel {
  readonly severity: Severity
  readonly short: number
  readonly long: number
  readonly factor: number
}

/** Everything that rules are made from. Durations in seconds, shares from 0 to 1. */
export interface MonitoringSettings {
  /** The scrape job's name. */
  readonly job: string
  /** How often rules are evaluated, and Streamgauge is scraped at the slowest. */
  readonly interval: number
  /** What now is compared with, the nearer one first. */
  readonly baselines: readonly [near: number, far: number]
  /** Fewer samples than this are no baseline. */
  readonly leastBaseline: number
  readonly shift: readonly ShiftLevel[]
  readonly objectives: readonly LatencyObjective[]
  /** Seconds: what `metrics.slo.ttft` of the proxies adds to the bounds of the time to first token. */
  readonly addedBounds: readonly number[]
  readonly burn: readonly BurnLevel[]
  /** Fewer events than this in a window make no alert on a share. */
  readonly leastEvents: number
  /** A wait of this many seconds hangs, if it is also three times the gateway's own p95. */
  readonly hang: { readonly wait: number; readonly streams: number }
  readonly windows: { readonly short: number; readonly medium: number; readonly long: number }
  /** How long a state must last: where a moment tells, and where it does not. */
  readonly patience: { readonly short: number; readonly long: number }
  readonly keepFiring: number
  readonly links: {
    /** The page of runbooks; an alert adds its section. */
    readonly runbooks: string
    /** Grafana's address, as those who are paged reach it. */
    readonly grafana: string
  }
}

export const defaultSettings: MonitoringSettings = {
  job: 'streamgauge',
  interval: minute,
  baselines: [day, week],
  leastBaseline: 20,
  shift: [
    {
      severity: 'page',
      short: 10 * minute,
      long: hour,
      effect: 0.25,
      significance: { short: 1.36, long: 2.2 },
      for: 15 * minute,
    },
    {
      severity: 'ticket',
      short: hour,
      long: 6 * hour,
      effect: 0.15,
      significance: { short: 1.36, long: 2.2 },
      for: 10 * minute,
    },
  ],
  objectives: [{ name: 'ttft', threshold: 3, objective: 0.95, models: '.*' }],
  addedBounds: [],
  burn: [
    { severity: 'page', short: 5 * minute, long: hour, factor: 6 },
    { severity: 'ticket', short: 30 * minute, long: 6 * hour, factor: 3 },
    { severity: 'ticket', short: 2 * hour, long: day, factor: 1.5 },
  ],
  leastEvents: 10,
  hang: { wait: minute, streams: 3 },
  windows: { short: 5 * minute, medium: 30 * minute, long: hour },
  patience: { short: 2 * minute, long: 10 * minute },
  keepFiring: 10 * minute,
  links: {
    runbooks: 'https://github.com/streamgauge/streamgauge/blob/main/docs/runbooks.md',
    grafana: 'http://127.0.0.1:3000',
  },
}

/** A burn factor is the share of bad streams divided by the share allowed; above this share an alert would hardly ever fire. */
const largestBurnShare = 0.5

/** What is wrong with the settings; empty if nothing. */
export function settingsProblems(settings: MonitoringSettings): string[] {
  const problems: string[] = []
  const bounds = [...latencyBuckets, ...settings.addedBounds]
  for (const { name, threshold, objective } of settings.objectives) {
    if (!bounds.includes(threshold))
      problems.push(
        `objective ${name}: ${threshold} s is no bound of the histogram; add it to metrics.slo.ttft of the proxies and to addedBounds`,
      )
    if (!(objective > 0 && objective < 1)) problems.push(`objective ${name}: ${objective} is not between 0 and 1`)
    for (const { factor, long } of settings.burn) {
      const share = factor * (1 - objective)
      if (share > largestBurnShare) {
        const most = Math.floor((largestBurnShare / (1 - objective)) * 10) / 10
        problems.push(
          `objective ${name}: a burn of ${factor} over ${duration(long)} means ${Math.round(share * 100)} % bad streams; at most ${most} makes sense`,
        )
      }
    }
  }
  for (const { severity, short, long, effect } of settings.shift) {
    if (short >= long) problems.push(`shift ${severity}: the short window is not shorter than the long one`)
    if (short < 4 * settings.interval)
      problems.push(`shift ${severity}: the short window holds fewer than four scrapes`)
    if (!(effect > 0 && effect < 1)) problems.push(`shift ${severity}: the effect ${effect} is not between 0 and 1`)
  }
  const [near, far] = settings.baselines
  if (near >= far) problems.push('baselines: the nearer one comes first')
  return problems
}
