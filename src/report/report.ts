import type { Recorder } from '../measurement/recorder.ts'
import type { MeasurementStage } from '../measurement/stream-measurement.ts'
import { createExchangeLog } from './exchange-log.ts'
import type { InFlight } from './in-flight.ts'
import type { MetricOptions } from './metric-set.ts'
import { ModelTable } from './model-table.ts'
import { createMetrics, type Metrics } from './prometheus.ts'
import { Recent } from './recent.ts'
import { combineRecorders } from './recorder.ts'
import type { LabelOptions } from './series-index.ts'
import { openLineWriter } from './standard-output.ts'

export interface ReportOptions {
  readonly labels: LabelOptions
  readonly metrics: MetricOptions
  readonly log: { readonly exchanges: boolean }
  /** The marks' own clock, in milliseconds. */
  readonly clock: () => number
  /** Of the program. */
  readonly version: string
  /** Names of the configured gateways: their counters of passed-through requests exist from the start. */
  readonly gateways?: readonly string[]
  /** Where the exchange log goes; default: standard output. */
  readonly write?: (line: string) => void
  /** Recorders beside our own. */
  readonly recorders?: readonly Recorder[]
}

/** Everything that is told of exchanges. */
export interface Report {
  readonly recorder: Recorder
  readonly metrics: Metrics
  readonly recent: Recent
  readonly inFlight: InFlight
  readonly models: ModelTable
  countError(stage: MeasurementStage): void
  /** Stops the event-loop watch and writes what is left of the log. */
  close(): Promise<void>
}

export function createReport(options: ReportOptions): Report {
  const metrics = createMetrics({ ...options, gateways: options.gateways ?? [] })
  const { countError, inFlight } = metrics
  const failed = (): void => countError('observer')
  const recent = new Recent()
  const models = new ModelTable(options.clock)
  const output = options.log.exchanges && options.write === undefined ? openLineWriter(failed) : undefined
  const write = options.write ?? output?.write
  const log = options.log.exchanges && write !== undefined ? [createExchangeLog({ write })] : []
  return {
    recorder: combineRecorders([...metrics.recorders, recent, models, ...log, ...(options.recorders ?? [])], failed),
    metrics,
    recent,
    models,
    inFlight,
    countError,
    async close() {
      metrics.close()
      await output?.close()
    },
  }
}
