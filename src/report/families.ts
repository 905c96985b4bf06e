import { type Bounds, bucketOf, Histogram } from '../measurement/histogram.ts'
import { labelPair, labelText } from './exposition-text.ts'
import { type MetricSpec, prefix } from './metric-list.ts'

export type Labels = Readonly<Record<string, string>>

/** What prom-client's registry asks of a metric; its own JSON and text forms work on ours, too. */
export interface RegistryValue {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

abstract class Family<Child extends { readonly labels: Labels }> {
  readonly spec: MetricSpec
  /** With prefix. */
  readonly name: string
  readonly help: string
  readonly type: MetricSpec['type']
  readonly aggregator = 'sum'
  readonly children: Child[] = []
  readonly #byKey = new Map<string, Child>()

  constructor(spec: MetricSpec) {
    this.spec = spec
    this.name = prefix + spec.name
    this.help = spec.help
    this.type = spec.type
  }

  /** The child with these label values, made where it is new. Look it up once an exchange and keep it. Labels that are not this metric's are passed over. */
  child(labels: Labels): Child {
    const key = this.#keyOf(labels)
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    const own = Object.fromEntries(this.spec.labels.map((name) => [name, labels[name] ?? '']))
    const made = this.make(own)
    this.#byKey.set(key, made)
    this.children.push(made)
    return made
  }

  has(labels: Labels): boolean {
    return this.#byKey.has(this.#keyOf(labels))
  }

  #keyOf(labels: Labels): string {
    return this.spec.labels.map((name) => labels[name] ?? '').join('\0')
  }

  protected abstract make(labels: Labels): Child
  protected abstract values(child: Child): RegistryValue[]

  get(): { name: string; help: string; type: string; aggregator: string; values: RegistryValue[] } {
    const values = this.children.flatMap((child) => this.values(child))
    return { name: this.name, help: this.help, type: this.type, aggregator: this.aggregator, values }
  }
}

/** One sample of a bucket, by which it can be found elsewhere. */
export interface Exemplar {
  /** Together at most 128 characters: OpenMetrics' limit. */
  readonly labels: Labels
  readonly value: number
  /** Seconds since the epoch. */
  readonly time: number
}

export class HistogramChild extends Histogram {
  readonly labels: Labels
  /** The label pairs in exposition form, without braces. */
  readonly text: string
  /** The last of each bucket; `undefined` where none was ever given. */
  exemplars: (Exemplar | undefined)[] | undefined

  constructor(bounds: Bounds, labels: Labels) {
    super(bounds)
    this.labels = labels
    this.text = labelText(labels)
  }

  /** Records the exemplar's value and keeps it in place of its bucket's last one. */
  observeExemplar(exemplar: Exemplar): void {
    this.observe(exemplar.value)
    this.exemplars ??= []
    this.exemplars[bucketOf(this.bounds, exemplar.value)] = exemplar
  }

  /**
   * Adds samples that were gathered elsewhere. Where the bounds differ (an operator chose others), each sample counts as its bucket's
   * upper bound; the sum stays exact.
   */
  add(gathered: Histogram): void {
    if (sameBounds(this.bounds, gathered.bounds)) {
      this.merge(gathered)
      return
    }
    for (let bucket = 0; bucket < gathered.counts.length; bucket++) {
      const upper = gathered.bounds[bucket] ?? Number.POSITIVE_INFINITY
      const own = this.bounds.findIndex((bound) => upper <= bound)
      const target = own === -1 ? this.bounds.length : own
      this.counts[target] = (this.counts[target] as number) + (gathered.counts[bucket] as number)
    }
    this.sum += gathered.sum
    this.count += gathered.count
  }
}

function sameBounds(one: Bounds, another: Bounds): boolean {
  return one === another || (one.length === another.length && one.every((bound, index) => bound === another[index]))
}

export class HistogramFamily extends Family<HistogramChild> {
  readonly bounds: Bounds

  constructor(spec: MetricSpec, bounds: readonly number[]) {
    super(spec)
    this.bounds = Float64Array.from(bounds)
  }

  protected override make(labels: Labels): HistogramChild {
    return new HistogramChild(this.bounds, labels)
  }

  protected override values(child: HistogramChild): RegistryValue[] {
    const { labels } = child
    let cumulative = 0
    const buckets = Array.from(child.counts, (count, bucket): RegistryValue => {
      cumulative += count
      return {
        metricName: `${this.name}_bucket`,
        labels: { le: this.bounds[bucket] ?? '+Inf', ...labels },
        value: cumulative,
      }
    })
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels, value: child.sum },
      { metricName: `${this.name}_count`, labels, value: child.count },
    ]
  }
}

export class CounterChild {
  readonly labels: Labels
  readonly text: string
  /** One number for each combination of the enumerated labels, the last label running fastest; else a single one. */
  readonly slots: Float64Array

  constructor(labels: Labels, slots: number) {
    this.labels = labels
    this.text = labelText(labels)
    this.slots = new Float64Array(slots)
  }

  /** What is not a positive finite number is not added: it would spoil the counter for ever. */
  add(amount: number, slot = 0): void {
    if (amount > 0 && amount < Number.POSITIVE_INFINITY) this.slots[slot] = (this.slots[slot] as number) + amount
  }
}

export class CounterFamily extends Family<CounterChild> {
  /** The enumerated labels of each slot. */
  readonly slotLabels: readonly Labels[]
  readonly slotTexts: readonly string[]

  constructor(spec: MetricSpec) {
    super(spec)
    let combinations: Labels[] = [{}]
    for (const { label, values } of spec.enumerated ?? []) {
      combinations = combinations.flatMap((labels) => values.map((value) => ({ ...labels, [label]: value })))
    }
    this.slotLabels = combinations
    this.slotTexts = combinations.map((labels) =>
      Object.entries(labels)
        .map(([name, value]) => labelPair(name, value))
        .join(','),
    )
  }

  protected override make(labels: Labels): CounterChild {
    return new CounterChild(labels, this.slotLabels.length)
  }

  protected override values(child: CounterChild): RegistryValue[] {
    return Array.from(child.slots, (value, slot) => ({
      metricName: this.name,
      labels: { ...child.labels, ...this.slotLabels[slot] },
      value,
    }))
  }
}

export class GaugeChild {
  readonly labels: Labels
  readonly text: string
  value = 0

  constructor(labels: Labels) {
    this.labels = labels
    this.text = labelText(labels)
  }
}

/** Once seen, a label set stays. */
export class GaugeFamily extends Family<GaugeChild> {
  protected override make(labels: Labels): GaugeChild {
    return new GaugeChild(labels)
  }

  protected override values(child: GaugeChild): RegistryValue[] {
    return [{ metricName: this.name, labels: child.labels, value: child.value }]
  }
}

export type AnyFamily = HistogramFamily | CounterFamily | GaugeFamily
