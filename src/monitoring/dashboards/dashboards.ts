import type { MonitoringSettings } from '../settings.ts'
import { compare } from './compare.ts'
import { dashboard } from './dashboard.ts'
import { latency } from './latency.ts'
import { overview } from './overview.ts'
import { reliability } from './reliability.ts'

/** Every dashboard, by its file's name. */
export function dashboards(settings: MonitoringSettings): ReadonlyMap<string, string> {
  return new Map(
    [overview(settings), latency, compare, reliability].map((plan) => [
      `${plan.uid.replace(/^streamgauge-/, '')}.json`,
      dashboard(plan, settings),
    ]),
  )
}
