import type { ExchangeIdentity } from '../measurement/stream-measurement.ts'
import { BoundedValues, cleanLabel, other } from './label-values.ts'
import type { OverflowLabel } from './metric-list.ts'
import type { MetricSet } from './metric-set.ts'
import { ExchangeSeries } from './series.ts'

export interface LabelOptions {
  readonly maxModels: number
  readonly maxApps: number
  readonly maxSets: number
  readonly inputSize: boolean
  readonly models: { readonly allow: readonly string[]; readonly rename: Readonly<Record<string, string>> }
}

/**
 * Finds the series of an exchange, within the bounds on values and on sets. A set is gateway, model, operation and app; where there is no room
 * for one more, model and app become `other` together, so that at most one further set for each gateway and operation is made.
 */
export class SeriesIndex {
  readonly #set: MetricSet
  readonly #overflowed: (label: OverflowLabel) => void
  readonly #maxSets: number
  readonly #models: BoundedValues
  readonly #apps: BoundedValues
  readonly #servedModels: BoundedValues
  readonly #providers: BoundedValues
  readonly #series = new Map<string, ExchangeSeries>()
  /** Those that exist without being asked for take no room. */
  #freeSets = 0

  /** `overflowed` is called at most once for each label of a request. */
  constructor(set: MetricSet, options: LabelOptions, overflowed: (label: OverflowLabel) => void) {
    this.#set = set
    this.#overflowed = overflowed
    this.#maxSets = options.maxSets
    this.#models = new BoundedValues(options.maxModels, () => overflowed('model'), options.models)
    this.#apps = new BoundedValues(options.maxApps, () => overflowed('app'))
    this.#servedModels = new BoundedValues(options.maxModels, () => overflowed('served_model'))
    this.#providers = new BoundedValues(options.maxModels, () => overflowed('provider'))
  }

  /** Once an exchange: what overflows is counted here. */
  find(identity: ExchangeIdentity): ExchangeSeries {
    const gateway = cleanLabel(identity.gateway)
    const operation = identity.operation ?? 'passthrough'
    const model = identity.operation === undefined ? '' : this.#models.admit(identity.model)
    const app = this.#apps.admit(identity.app)
    const key = `${gateway}\0${operation}\0${model}\0${app}`
    const known = this.#series.get(key)
    if (known !== undefined) return known
    if (this.#series.size < this.#freeSets + this.#maxSets) return this.#make(key, { gateway, model, operation, app })
    this.#overflowed('set')
    const rest = { gateway, model: model === '' ? '' : other, operation, app: other }
    const restKey = `${gateway}\0${operation}\0${rest.model}\0${other}`
    return this.#series.get(restKey) ?? this.#make(restKey, rest)
  }

  /** Zeros for what comes without a start: passed-through requests, and those refused before a gateway was known. */
  bearPassedThrough(gateways: readonly string[]): void {
    for (const gateway of ['', ...gateways]) {
      const labels = { gateway: cleanLabel(gateway), model: '', operation: 'passthrough', app: '' }
      this.#make(`${labels.gateway}\0passthrough\0\0`, labels).bear(false, false)
    }
    this.#freeSets = this.#series.size
  }

  /** Counts who answered; their names are bounded in the same way, and so are the sets of them. */
  countServedBy(series: ExchangeSeries, servedModel: string | undefined, provider: string | undefined): void {
    const model = this.#servedModels.admit(servedModel ?? '')
    const by = this.#providers.admit(provider ?? '')
    const known = series.servedBy(model, by)
    if (known !== undefined) {
      known.add(1)
      return
    }
    const family = this.#set.counter('served_by_total')
    const labels = { ...series.labels, served_model: model, provider: by }
    if (family.children.length < this.#maxSets || family.has(labels)) {
      series.keepServedBy(model, by, family.child(labels)).add(1)
      return
    }
    if (model !== other) this.#overflowed('served_model')
    family.child({ ...labels, served_model: other, provider: other }).add(1)
  }

  #make(key: string, labels: ExchangeSeries['labels']): ExchangeSeries {
    const series = new ExchangeSeries(this.#set, labels)
    this.#series.set(key, series)
    return series
  }
}
