// How often the regression alerts fire without cause, and how soon with one. Seeded: the same numbers each time.
//   npm run build && node dist/bench/alert-simulation.js
import { latencyBuckets } from '../src/measurement/buckets.ts'
import { hour, minute } from '../src/monitoring/duration.ts'
import { defaultSettings, type Severity } from '../src/monitoring/settings.ts'
import { firingAt, type History, step } from './alert-statistic.ts'
import { recordTraffic, type TrafficPlan } from './simulated-traffic.ts'

const dayMinutes = 24 * 60
const stepsADay = (dayMinutes * minute) / step
const weeks = 4
const rates = [0.02, 0.05, 0.3, 2]
const factors = [1.15, 1.3, 1.5, 2, 3]
/** Models that are simulated side by side. */
const seeds = [1, 2, 3, 4, 5]
const severities: readonly Severity[] = ['page', 'ticket']
const longestHours = 12

/** Times at which the alert begins to fire; a pause within `keepFiring` is none. */
function episodes(history: History, severity: Severity, from: number): number {
  const keep = defaultSettings.keepFiring / step
  let count = 0
  let last = Number.NEGATIVE_INFINITY
  for (let at = from; at < history.steps; at++) {
    if (!firingAt(history, severity, at)) continue
    if (at - last > keep + 1) count++
    last = at
  }
  return count
}

function falseAlarms(plan: Omit<TrafficPlan, 'seed' | 'days'>): string[] {
  return severities.map((severity) => {
    const all = seeds.map((seed) => {
      const history = recordTraffic({ ...plan, seed, days: 8 + weeks * 7 })
      return episodes(history, severity, 8 * stepsADay)
    })
    return (all.reduce((sum, count) => sum + count, 0) / (weeks * seeds.length)).toFixed(2)
  })
}

/** Median minutes until the alert fires, and the share of regressions that it sees within half a day. */
function detection(plan: Omit<TrafficPlan, 'seed' | 'days'>, factor: number): string[] {
  const waits: Record<Severity, number[]> = { page: [], ticket: [] }
  for (const seed of seeds) {
    for (let start = 0; start < 4; start++) {
      const from = 8 * stepsADay + Math.round((start * stepsADay) / 4)
      const history = recordTraffic({ ...plan, seed: 100 * seed + start, days: 9.5, slower: { from, factor } })
      for (const severity of severities) {
        let at = from
        while (at < from + (longestHours * hour) / step && !firingAt(history, severity, at)) at++
        const found = at < from + (longestHours * hour) / step
        waits[severity].push(found ? ((at - from) * step) / minute : Number.POSITIVE_INFINITY)
      }
    }
  }
  return severities.map((severity) => {
    const sorted = waits[severity].sort((one, another) => one - another)
    const seen = sorted.filter(Number.isFinite).length / sorted.length
    const median = sorted[Math.floor(sorted.length / 2)] as number
    if (seen === 0) return 'never'
    return `${Number.isFinite(median) ? `${median} min` : '–'} (${Math.round(100 * seen)} %)`
  })
}

const row = (...cells: readonly (string | number)[]): void => console.log(`| ${cells.join(' | ')} |`)

console.log('\nFalse alarms a week and model, page and ticket:\n')
row('requests a second', 'steady: page', 'steady: ticket', 'drifting: page', 'drifting: ticket')
row('---', '---', '---', '---', '---')
for (const perSecond of rates)
  row(perSecond, ...falseAlarms({ perSecond, drift: 0 }), ...falseAlarms({ perSecond, drift: 0.15 }))

console.log('\nTime until it fires (share seen within 12 hours), drifting backend:\n')
row('requests a second', ...factors.flatMap((factor) => severities.map((severity) => `x${factor} ${severity}`)))
row('---', ...factors.flatMap(() => ['---', '---']))
for (const perSecond of rates)
  row(perSecond, ...factors.flatMap((factor) => detection({ perSecond, drift: 0.15 }, factor)))
console.log(`\n${latencyBuckets.length} bounds, ${seeds.length} models, ${weeks} weeks`)
