import { collectDefaultMetrics, Registry } from 'prom-client'
import type { ForeignMetric } from './exposition.ts'

let registry: Registry | undefined

/**
 * Node's own metrics as prom-client defines them. One registry a process, for each would set up its own observers, which nothing can stop.
 * Three gauges of it end in `_total`, which both text formats keep for counters; `nodejs_active_resources` and its like say the same.
 */
export async function processMetrics(): Promise<ForeignMetric[]> {
  if (registry === undefined) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
  }
  const metrics = (await registry.getMetricsAsJSON()) as unknown as ForeignMetric[]
  // Its statistics of the event loop start anew at each scrape; of no sample yet the mean is NaN, the least one 292 years.
  const mean = metrics.find(({ name }) => name === 'nodejs_eventloop_lag_mean_seconds')?.values[0]?.value
  const sampled = mean !== undefined && Number.isFinite(mean)
  return metrics.filter(
    ({ name, type }) =>
      (type === 'counter' || !name.endsWith('_total')) && (sampled || !/^nodejs_eventloop_lag_.+_seconds$/.test(name)),
  )
}
