import { figures } from '../measurement/figures.ts'
import { type Outcome, outcomes } from '../measurement/outcomes.ts'
import { type Reason, reasons } from '../measurement/reasons.ts'
import type { Recorder, RunningExchange } from '../measurement/recorder.ts'
import type { MeasurementStage, StreamMeasurement } from '../measurement/stream-measurement.ts'
import { type Evaluation, evaluationOf } from './evaluation.ts'
import type { CounterChild } from './families.ts'
import { cacheStates, tokenTypes } from './metric-list.ts'
import type { MetricSet } from './metric-set.ts'
import type { ExchangeSeries, GenerationCounters } from './series.ts'
import type { SeriesIndex } from './series-index.ts'

/** What is remembered of an exchange between its start and its end. */
export interface Tracked {
  readonly series: ExchangeSeries
  /** Streams in flight to the model when this one began. */
  concurrency: number
  firstTokenRecorded: boolean
}

const outcomeSlots = new Map<Outcome, number>(outcomes.map((outcome, slot) => [outcome, slot]))
const unmeasuredSlots = new Map<string, ReadonlyMap<Reason, number>>(
  figures.map(({ name }, figure) => [
    name,
    new Map(reasons.map((reason, slot) => [reason, figure * reasons.length + slot])),
  ]),
)

/** Figures that are not simply put into the histogram of their name when the exchange ends. */
const apart = new Set(['time_to_first_token_seconds', 'request_duration_seconds'])

/** Counts exchanges into the metrics. What is counted when: design.md, section 2, and definitions.md, "Figures". */
export class MetricsRecorder implements Recorder {
  readonly #index: SeriesIndex
  readonly #unmeasured: CounterChild
  readonly #countError: (stage: MeasurementStage) => void
  readonly #histograms: ReadonlySet<string>
  readonly #tracked = new WeakMap<RunningExchange, Tracked>()

  constructor(set: MetricSet, index: SeriesIndex, countError: (stage: MeasurementStage) => void) {
    this.#index = index
    this.#countError = countError
    this.#unmeasured = set.counter('unmeasured_total').child({})
    this.#histograms = new Set(
      set.families.flatMap(({ spec }) => (spec.figure === spec.name && !apart.has(spec.name) ? [spec.name] : [])),
    )
  }

  /** Looked up once an exchange, whoever asks first. */
  track(exchange: RunningExchange): Tracked {
    const known = this.#tracked.get(exchange)
    if (known !== undefined) return known
    const { identity } = exchange
    const series = this.#index.find(identity)
    series.bear(identity.operation !== undefined, identity.streamAsked)
    const tracked = { series, concurrency: 0, firstTokenRecorded: false }
    this.#tracked.set(exchange, tracked)
    return tracked
  }

  started(exchange: RunningExchange): void {
    const { series } = this.track(exchange)
    if (exchange.identity.streamAsked) series.streams().started.add(1)
  }

  firstToken(exchange: RunningExchange): void {
    const { dispatched, firstToken } = exchange.marks
    if (dispatched === undefined || firstToken === undefined) return
    this.#recordFirstToken(this.track(exchange), (firstToken - dispatched) / 1000, exchange)
  }

  ended(m: StreamMeasurement, exchange: RunningExchange): void {
    const tracked = this.track(exchange)
    const { series } = tracked
    const evaluation = evaluationOf(m)
    series.requests(m.streamed).add(1, outcomeSlots.get(m.outcome))
    for (const stage of m.measurementErrors) this.#countError(stage)
    this.#recordFigures(m, evaluation, tracked)
    if (m.identity.operation === undefined) return
    for (const figure in evaluation.unmeasured) {
      this.#unmeasured.add(1, unmeasuredSlots.get(figure)?.get(evaluation.unmeasured[figure] as Reason))
    }
    if (m.gaps.count > 0) series.figure('inter_chunk_seconds').add(m.gaps)
    countGeneration(series.counters(), m, evaluation)
    if (isGoodAnswer(m)) {
      countHints(series.counters(), m)
      this.#index.countServedBy(series, m.servedModel, m.provider)
    }
  }

  #recordFirstToken(
    tracked: Tracked,
    seconds: number,
    { identity, marks }: Pick<RunningExchange, 'identity' | 'marks'>,
  ): void {
    if (tracked.firstTokenRecorded) return
    tracked.firstTokenRecorded = true
    const time = (identity.startedAt + (marks.firstToken ?? marks.received) - marks.received) / 1000
    const { id, traceId } = identity
    const labels = traceId === undefined ? { exchange_id: id } : { trace_id: traceId }
    tracked.series.figure('time_to_first_token_seconds').observeExemplar({ labels, value: seconds, time })
  }

  #recordFigures(m: StreamMeasurement, { figures: values }: Evaluation, tracked: Tracked): void {
    const { series } = tracked
    for (const name in values) {
      if (this.#histograms.has(name)) series.figure(name).observe(values[name] as number)
    }
    const duration = values['request_duration_seconds']
    if (duration !== undefined) series.duration(m.streamed, m.outcome === 'ok').observe(duration)
    const timeToFirstToken = values['time_to_first_token_seconds']
    if (timeToFirstToken !== undefined) {
      // Normally long done; a body whose copy was decoded late may end before its first token was told.
      this.#recordFirstToken(tracked, timeToFirstToken, m)
      series.byCache(m.cache, m.tokens?.input).observe(timeToFirstToken)
    }
    const rate = values['output_tokens_per_second']
    if (rate !== undefined && tracked.concurrency > 0) series.byConcurrency(tracked.concurrency).observe(rate)
  }
}

const isGoodAnswer = (m: StreamMeasurement): boolean =>
  m.answered && m.status !== undefined && m.status >= 200 && m.status < 300

function countGeneration(counters: GenerationCounters, m: StreamMeasurement, evaluation: Evaluation): void {
  const { tokens, gaps } = m
  if (tokens !== undefined) {
    const counts = [tokens.input, tokens.cachedInput, tokens.cacheWriteInput, tokens.output, tokens.reasoning]
    for (let slot = 0; slot < tokenTypes.length; slot++) counters.tokens.add(counts[slot] ?? 0, slot)
  }
  counters.cost.add(m.costUsd ?? 0)
  const { generation } = evaluation
  if (evaluation.figures['time_per_output_token_seconds'] !== undefined) {
    counters.decodeTokens.add((generation.tokens ?? 0) - (generation.firstChunkTokens ?? 0))
    counters.decodeSeconds.add(generation.windowMs / 1000)
  }
  counters.stalls.add(gaps.stalls)
  counters.stallSeconds.add(gaps.stallSeconds)
  counters.buffered.add(evaluation.flags.includes('buffered') ? 1 : 0)
  counters.backpressureSeconds.add(m.pausedMs / 1000)
  counters.resends.add(m.resends)
}

function countHints(counters: GenerationCounters, m: StreamMeasurement): void {
  const { cacheControl, promptCacheKey } = m.identity.cacheHints
  const cache = cacheStates.indexOf(m.cache)
  if (cacheControl > 0) counters.cacheHints.add(1, cache)
  if (promptCacheKey) counters.cacheHints.add(1, cacheStates.length + cache)
}
