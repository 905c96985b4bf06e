import type { Registry } from 'prom-client'
import type { Recorder } from '../measurement/recorder.ts'
import { type MeasurementStage, measurementStages } from '../measurement/stream-measurement.ts'
import { EventLoopWatch } from './event-loop.ts'
import { slicesOf } from './exposition.ts'
import type { Format } from './exposition-text.ts'
import { InFlight } from './in-flight.ts'
import { definitionsVersion, overflowLabels } from './metric-list.ts'
import { type MetricOptions, MetricSet } from './metric-set.ts'
import { MetricsRecorder } from './metrics-recorder.ts'
import { processMetrics } from './process-metrics.ts'
import { type LabelOptions, SeriesIndex } from './series-index.ts'

export interface Metrics {
  /** To be told in this order. */
  readonly recorders: readonly Recorder[]
  readonly registry: Registry
  readonly inFlight: InFlight
  readonly eventLoop: EventLoopWatch
  countError(stage: MeasurementStage): void
  /** The exposition, slice by slice; between two slices the event loop has a turn. Any number may run at once. */
  slices(format: Format): AsyncGenerator<string, void, void>
  /** The same for a writer; waits for it. Rejects when it throws. */
  render(format: Format, write: (slice: string) => void | Promise<void>): Promise<void>
  close(): void
}

export function createMetrics(options: {
  readonly labels: LabelOptions
  readonly metrics: MetricOptions
  readonly clock: () => number
  readonly version: string
  readonly gateways: readonly string[]
}): Metrics {
  const set = new MetricSet({ ...options.metrics, inputSize: options.labels.inputSize })
  const overflows = set.counter('label_overflow_total').child({})
  const errors = set.counter('measurement_errors_total').child({})
  const countError = (stage: MeasurementStage): void => errors.add(1, measurementStages.indexOf(stage))

  const index = new SeriesIndex(set, options.labels, (label) => overflows.add(1, overflowLabels.indexOf(label)))
  index.bearPassedThrough(options.gateways)
  const recorder = new MetricsRecorder(set, index, countError)
  const inFlight = new InFlight(options.clock, (exchange) => recorder.track(exchange).series.streams())
  const eventLoop = new EventLoopWatch(
    options.clock,
    set.histogram('event_loop_stall_seconds').child({}),
    set.gauge('event_loop_stall_max_seconds').child({}),
  )
  set.gauge('build_info').child({ version: options.version }).value = 1
  set.gauge('definitions_info').child({ version: definitionsVersion }).value = 1

  async function* slices(format: Format): AsyncGenerator<string, void, void> {
    inFlight.read()
    eventLoop.read()
    yield* slicesOf(set.families, options.metrics.defaultMetrics ? processMetrics : async () => [], format)
  }

  return {
    recorders: [recorder, inFlightRecorder(inFlight, recorder)],
    registry: set.registry,
    inFlight,
    eventLoop,
    countError,
    slices,
    async render(format, write) {
      for await (const slice of slices(format)) await write(slice)
    },
    close: () => eventLoop.close(),
  }
}

/** A recorder of its own, so that a fault in counting leaves no stream in flight for ever. */
function inFlightRecorder(inFlight: InFlight, recorder: MetricsRecorder): Recorder {
  return {
    started(exchange) {
      recorder.track(exchange).concurrency = inFlight.begin(exchange)
    },
    firstToken() {},
    ended: (_, exchange) => inFlight.end(exchange),
  }
}
