import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { RunningExchange } from '../../src/measurement/recorder.ts'
import { measurement, runningExchange } from '../helpers/measurement.ts'
import { startPrometheus, writeBlocks } from '../helpers/prometheus.ts'
import { interpolate, type PanelQuery, panelQueries } from '../helpers/promql.ts'
import { createTestReport } from '../helpers/report.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { requireTool } from '../helpers/tools.ts'

const samples = 3000
const sigmas = [0.5, 0.8]
/** From 60 ms to 15 s, evenly on a logarithmic scale. */
const medians = Array.from({ length: 16 }, (_, index) => 0.06 * 250 ** (index / 15))
const regression = 1.3

/** Share of a normal distribution below `z` (Abramowitz and Stegun, 26.2.17; good to 8 digits). */
function below(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z))
  const series = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153].reduce((sum, c) => (sum + c) * t, 0)
  const tail = (series * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI)
  return z > 0 ? 1 - tail : tail
}

function zOf(share: number): number {
  let [low, high] = [-6, 6]
  while (high - low > 1e-7) {
    const middle = (low + high) / 2
    if (below(middle) < share) low = middle
    else high = middle
  }
  return low
}

/** A sample in each of as many equal parts of the distribution: what is left is the histogram's own error. */
const normals = Array.from({ length: samples }, (_, index) => zOf((index + 0.5) / samples))

interface Known {
  readonly name: string
  /** What really was: of the samples themselves, not of the distribution they were drawn from. */
  readonly quantiles: ReadonlyMap<number, number>
}

/** One model a distribution, before and after it became slower, told to a report as exchanges are. */
async function tellAll(t: TestContext): Promise<{ known: Known[]; before: string; after: string }> {
  const report = createTestReport(t, { log: { exchanges: false } })
  const known: Known[] = []
  const streams: { name: string; values: number[] }[] = []
  for (const sigma of sigmas) {
    for (const median of medians) {
      const drawn = normals.map((z) => median * Math.exp(sigma * z))
      for (const factor of [1, regression])
        streams.push({ name: `${sigma} ${median.toFixed(3)} ${factor}`, values: drawn.map((value) => value * factor) })
    }
  }
  const tell = (plain: RunningExchange, seconds: number): void => {
    const marks = { ...plain.marks, firstToken: (plain.marks.dispatched as number) + seconds * 1000 }
    const exchange = { ...plain, marks }
    report.recorder.started(exchange)
    report.recorder.firstToken(exchange)
  }
  const plainOf = (model: string): RunningExchange => runningExchange(measurement({ identity: { model } }))
  for (const { name, values } of streams) tell(plainOf(name), values[0] as number)
  const before = await report.scrape()
  for (const { name, values } of streams) {
    const plain = plainOf(name)
    for (const value of values) tell(plain, value)
    const sorted = values.toSorted((one, another) => one - another)
    const at = (q: number): number => sorted[Math.ceil(q * sorted.length) - 1] as number
    known.push({ name, quantiles: new Map([0.5, 0.95].map((q) => [q, at(q)])) })
  }
  return { known, before, after: await report.scrape() }
}

test('p50 and p95 are within 12 % of the truth, and 30 % slower shows as 19 to 40 %', async (t) => {
  if (!requireTool(t, 'prometheus') || !requireTool(t, 'promtool')) return
  const { known, before, after } = await tellAll(t)
  const data = join(temporaryFolder(t), 'data')
  const time = Math.floor(Date.now() / 1000) - 3600
  const labels = { job: 'streamgauge', instance: 'a:9484' }
  writeBlocks(t, data, [
    { time: time - 30, labels, text: before },
    { time, labels, text: after },
  ])
  const prometheus = await startPrometheus(t, { config: {}, data })

  for (const q of [0.5, 0.95]) {
    const panel = panelQueries.find(
      (query) => query.panel === `Time to first token, p${q * 100}, by model`,
    ) as PanelQuery
    const shown = await prometheus.query(interpolate(panel.expr, { rateInterval: '1m', range: '1h' }), time)
    const shownOf = (name: string): number => shown.find(({ metric }) => metric['model'] === name)?.value as number
    await t.test(`p${q * 100} of ${known.length} distributions`, () => {
      for (const { name, quantiles } of known) {
        const error = shownOf(name) / (quantiles.get(q) as number) - 1
        assert.ok(Math.abs(error) <= 0.12, `${name}: ${(100 * error).toFixed(1)} %`)
      }
    })
    await t.test(`p${q * 100}: a true +30 %`, () => {
      for (const { name } of known.filter((one) => one.name.endsWith(' 1'))) {
        const growth = shownOf(name.replace(/ 1$/, ` ${regression}`)) / shownOf(name)
        assert.ok(growth >= 1.19 && growth <= 1.4, `${name}: x${growth.toFixed(3)}`)
      }
    })
  }
})
