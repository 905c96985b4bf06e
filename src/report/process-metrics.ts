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
  return metrics.filter((metric) => metric.type === 'counter' || !metric.name.endsWith('_total'))
}
