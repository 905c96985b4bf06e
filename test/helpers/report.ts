import type { TestContext } from 'node:test'
import type { RunningExchange } from '../../src/measurement/recorder.ts'
import type { StreamMeasurement } from '../../src/measurement/stream-measurement.ts'
import { createReport, type Report, type ReportOptions } from '../../src/report/report.ts'
import { runningExchange } from './measurement.ts'

export const plainLabels: ReportOptions['labels'] = {
  maxModels: 100,
  maxApps: 50,
  maxSets: 1000,
  inputSize: false,
  models: { allow: [], rename: {} },
}

export const plainMetrics: ReportOptions['metrics'] = { defaultMetrics: false, slo: { ttft: [] }, buckets: {} }

export interface TestReport extends Report {
  /** The exchange log's lines, parsed. */
  readonly lines: Record<string, unknown>[]
  /** The time on the held clock, ms. */
  now: number
  scrape(format?: 'text' | 'openmetrics'): Promise<string>
  /** Tells of an exchange from its start to its end. */
  tell(m: StreamMeasurement): RunningExchange
}

/** A report with a held clock that keeps its log lines. */
export function createTestReport(t: TestContext, options: Partial<ReportOptions> = {}): TestReport {
  const lines: Record<string, unknown>[] = []
  const held = { now: 1000 }
  const report = createReport({
    labels: plainLabels,
    metrics: plainMetrics,
    log: { exchanges: true },
    clock: () => held.now,
    version: '1.2.3',
    write: (line) => lines.push(JSON.parse(line)),
    ...options,
  })
  t.after(() => report.close())
  return {
    ...report,
    lines,
    get now() {
      return held.now
    },
    set now(time: number) {
      held.now = time
    },
    async scrape(format = 'text') {
      let text = ''
      await report.metrics.render(format, (slice) => {
        text += slice
      })
      return text
    },
    tell(m) {
      const exchange = runningExchange(m)
      if (m.marks.dispatched !== undefined && m.identity.operation !== undefined) report.recorder.started(exchange)
      if (m.streamed && m.marks.firstToken !== undefined) report.recorder.firstToken(exchange)
      report.recorder.ended(m, exchange)
      return exchange
    },
  }
}
