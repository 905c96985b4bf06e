import { type Metric, Registry } from 'prom-client'
import { type AnyFamily, CounterFamily, GaugeFamily, HistogramFamily } from './families.ts'
import { type MetricSpec, metricSpecs, prefix } from './metric-list.ts'

export interface MetricOptions {
  /** Node's own metrics. */
  readonly defaultMetrics: boolean
  /** Thresholds to alert on, in milliseconds as the configuration has them. */
  readonly slo: { readonly ttft: readonly number[] }
  /** Bounds instead of the built-in ones, by metric name without prefix, in the metric's unit. */
  readonly buckets: Readonly<Partial<Record<string, readonly number[]>>>
}

/** Histograms that an SLO on the time to first token looks at: a stream that the client left counts by how long it waited. */
const sloHistograms = new Set([
  'time_to_first_token_seconds',
  'time_to_first_token_by_cache_seconds',
  'abandoned_wait_seconds',
])

/** Bounds of one histogram, ascending and without doubles. */
export function boundsOf(spec: MetricSpec, options: Pick<MetricOptions, 'slo' | 'buckets'>): number[] {
  const bounds = options.buckets[spec.name] ?? spec.buckets ?? []
  const exact = sloHistograms.has(spec.name) ? options.slo.ttft.map((milliseconds) => milliseconds / 1000) : []
  return [...new Set([...bounds, ...exact])].sort((one, another) => one - another)
}

/** All metrics of one service, each a custom metric in a registry of prom-client's. */
export class MetricSet {
  readonly registry = new Registry()
  readonly families: readonly AnyFamily[]
  readonly #byName: ReadonlyMap<string, AnyFamily>

  constructor(options: MetricOptions & { readonly inputSize: boolean }) {
    this.families = metricSpecs(options).map((spec) => {
      if (spec.type === 'histogram') return new HistogramFamily(spec, boundsOf(spec, options))
      return spec.type === 'counter' ? new CounterFamily(spec) : new GaugeFamily(spec)
    })
    this.#byName = new Map(this.families.map((family) => [family.name, family]))
    // A metric without labels has its one series from the start.
    for (const family of this.families) if (family.spec.labels.length === 0) family.child({})
    // The registry asks of a metric no more than name, type and get(); its types name its own classes alone.
    for (const family of this.families) this.registry.registerMetric(family as unknown as Metric)
  }

  histogram(name: string): HistogramFamily {
    const family = this.#byName.get(prefix + name)
    if (!(family instanceof HistogramFamily)) throw new Error(`there is no histogram ${name}`)
    return family
  }

  counter(name: string): CounterFamily {
    const family = this.#byName.get(prefix + name)
    if (!(family instanceof CounterFamily)) throw new Error(`there is no counter ${name}`)
    return family
  }

  gauge(name: string): GaugeFamily {
    const family = this.#byName.get(prefix + name)
    if (!(family instanceof GaugeFamily)) throw new Error(`there is no gauge ${name}`)
    return family
  }
}
