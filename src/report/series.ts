import type { CacheState } from '../measurement/stream-measurement.ts'
import type { CounterChild, GaugeChild, HistogramChild, Labels } from './families.ts'
import { cacheStates, concurrencyClasses, inputSizes } from './metric-list.ts'
import type { MetricSet } from './metric-set.ts'

/** Labels of an exchange, already bounded and clean. */
export interface SeriesLabels {
  readonly gateway: string
  readonly model: string
  readonly operation: string
  readonly app: string
}

export interface GenerationCounters {
  readonly tokens: CounterChild
  readonly cost: CounterChild
  readonly decodeTokens: CounterChild
  readonly decodeSeconds: CounterChild
  readonly stalls: CounterChild
  readonly stallSeconds: CounterChild
  readonly buffered: CounterChild
  readonly backpressureSeconds: CounterChild
  readonly resends: CounterChild
  readonly cacheHints: CounterChild
}

export interface StreamSeries {
  readonly started: CounterChild
  readonly inFlight: GaugeChild
  readonly awaiting: GaugeChild
  readonly longestWait: GaugeChild
}

/** Everything that exchanges of one label set count into: looked up once an exchange, so that no observation has to build a key. */
export class ExchangeSeries {
  readonly labels: SeriesLabels
  readonly #set: MetricSet
  readonly #own: Labels
  readonly #figures = new Map<string, HistogramChild>()
  readonly #requests: (CounterChild | undefined)[] = []
  readonly #durations: (HistogramChild | undefined)[] = []
  readonly #byCache: (HistogramChild | undefined)[] = []
  readonly #byConcurrency: (HistogramChild | undefined)[] = []
  readonly #servedBy = new Map<string, Map<string, CounterChild>>()
  #counters: GenerationCounters | undefined
  #streams: StreamSeries | undefined

  constructor(set: MetricSet, labels: SeriesLabels) {
    this.#set = set
    this.labels = labels
    this.#own = { ...labels }
  }

  /** Zeros for all that may be counted of such an exchange: what is born with its first sample hides that sample from `increase()`. */
  bear(generation: boolean, streamAsked: boolean): void {
    this.requests(false)
    if (!generation) return
    this.counters()
    if (!streamAsked) return
    this.requests(true)
    this.streams()
    this.figure('time_to_first_token_seconds')
    this.figure('abandoned_wait_seconds')
  }

  /** A histogram with no labels but those of the set. */
  figure(name: string): HistogramChild {
    let child = this.#figures.get(name)
    if (child === undefined) {
      child = this.#set.histogram(name).child(this.#own)
      this.#figures.set(name, child)
    }
    return child
  }

  requests(streamed: boolean): CounterChild {
    const index = streamed ? 1 : 0
    this.#requests[index] ??= this.#set.counter('requests_total').child({ ...this.#own, streamed: String(streamed) })
    return this.#requests[index]
  }

  duration(streamed: boolean, ok: boolean): HistogramChild {
    const index = (streamed ? 2 : 0) + (ok ? 1 : 0)
    this.#durations[index] ??= this.#set
      .histogram('request_duration_seconds')
      .child({ ...this.#own, streamed: String(streamed), result: ok ? 'ok' : 'other' })
    return this.#durations[index]
  }

  byCache(cache: CacheState, inputTokens: number | undefined): HistogramChild {
    const size = inputTokens === undefined ? -1 : inputSizeOf(inputTokens)
    const index = cacheStates.indexOf(cache) * (inputSizes.length + 1) + size + 1
    this.#byCache[index] ??= this.#set
      .histogram('time_to_first_token_by_cache_seconds')
      .child({ ...this.#own, cache, input_size: inputSizes[size] ?? '' })
    return this.#byCache[index]
  }

  byConcurrency(streams: number): HistogramChild {
    const index = concurrencyClassOf(streams)
    this.#byConcurrency[index] ??= this.#set
      .histogram('output_tokens_per_second_by_concurrency')
      .child({ ...this.#own, concurrency: concurrencyClasses[index] as string })
    return this.#byConcurrency[index]
  }

  /** Both names bounded already. */
  servedBy(servedModel: string, provider: string): CounterChild | undefined {
    return this.#servedBy.get(servedModel)?.get(provider)
  }

  keepServedBy(servedModel: string, provider: string, child: CounterChild): CounterChild {
    const providers = this.#servedBy.get(servedModel) ?? new Map<string, CounterChild>()
    this.#servedBy.set(servedModel, providers.set(provider, child))
    return child
  }

  counters(): GenerationCounters {
    const of = (name: string): CounterChild => this.#set.counter(name).child(this.#own)
    this.#counters ??= {
      tokens: of('tokens_total'),
      cost: of('cost_usd_total'),
      decodeTokens: of('decode_tokens_total'),
      decodeSeconds: of('decode_seconds_total'),
      stalls: of('stalls_total'),
      stallSeconds: of('stall_seconds_total'),
      buffered: of('buffered_streams_total'),
      backpressureSeconds: of('backpressure_seconds_total'),
      resends: of('resends_total'),
      cacheHints: of('cache_hints_total'),
    }
    return this.#counters
  }

  streams(): StreamSeries {
    const gauge = (name: string): GaugeChild => this.#set.gauge(name).child(this.#own)
    this.#streams ??= {
      started: this.#set.counter('streams_started_total').child(this.#own),
      inFlight: gauge('streams_in_flight'),
      awaiting: gauge('streams_awaiting_first_token'),
      longestWait: gauge('longest_wait_seconds'),
    }
    return this.#streams
  }
}

/** Index of the class; a class begins with its lower bound, k = 1000. */
function inputSizeOf(tokens: number): number {
  if (tokens < 1000) return 0
  if (tokens < 4000) return 1
  if (tokens < 16_000) return 2
  return tokens < 64_000 ? 3 : 4
}

/** Index of the class of so many streams, the one that begins among them. */
function concurrencyClassOf(streams: number): number {
  return Math.min(concurrencyClasses.length - 1, Math.max(0, Math.floor(Math.log2(streams))))
}
