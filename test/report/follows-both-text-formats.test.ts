import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { boundText, numberText } from '../../src/report/exposition-text.ts'
import { readExposition, valueIn } from '../helpers/exposition.ts'
import { measurement, passedThrough } from '../helpers/measurement.ts'
import { createTestReport, plainLabels, plainMetrics } from '../helpers/report.ts'
import { requireTool } from '../helpers/tools.ts'

const hostile = 'we"ird\\\nna{me}, le="1" # \ud800 ünï😀'

function fill(report: ReturnType<typeof createTestReport>): void {
  report.tell(measurement())
  report.tell(measurement({ identity: { model: hostile, app: hostile }, provider: hostile, servedModel: hostile }))
  report.tell(measurement({ tokens: undefined, outcome: 'http_5xx', status: 500 }))
  report.tell(passedThrough())
}

test('promtool finds nothing to say about the text form', async (t) => {
  if (!requireTool(t, 'promtool')) return
  const report = createTestReport(t, {
    metrics: { ...plainMetrics, defaultMetrics: true, slo: { ttft: [500, 2300] } },
    labels: { ...plainLabels, inputSize: true },
    gateways: ['main', 'spare'],
  })
  fill(report)
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: await report.scrape(),
    encoding: 'utf8',
  })
  assert.equal(stderr + stdout, '')
  assert.equal(status, 0)
})

test('both formats are well-formed and say the same', async (t) => {
  const report = createTestReport(t)
  fill(report)
  const text = readExposition(await report.scrape('text'), 'text')
  const openmetrics = readExposition(await report.scrape('openmetrics'), 'openmetrics')
  assert.equal(text.size, openmetrics.size)
  for (const [name, family] of text) {
    const same = openmetrics.get(family.type === 'counter' ? name.replace(/_total$/, '') : name)
    // Exemplars are OpenMetrics' alone.
    const samples = same?.samples.map(({ name, labels, value }) => ({ name, labels, value }))
    assert.deepEqual(samples, family.samples, name)
    assert.equal(same?.type, family.type)
    assert.notEqual(family.help, '')
  }
})

test("Node's own metrics stand in both formats, counters without their suffix in the family's name of OpenMetrics", async (t) => {
  const report = createTestReport(t, { metrics: { ...plainMetrics, defaultMetrics: true } })
  const openmetrics = readExposition(await report.scrape('openmetrics'), 'openmetrics')
  const text = readExposition(await report.scrape('text'), 'text')
  assert.equal(openmetrics.get('process_cpu_seconds')?.type, 'counter')
  assert.equal(text.get('process_cpu_seconds_total')?.type, 'counter')
  assert.ok((text.get('process_resident_memory_bytes')?.samples[0]?.value ?? 0) > 0)
  // A gauge may not bear a counter's suffix.
  assert.equal(text.get('nodejs_active_handles_total'), undefined)
  const withoutThem = await createTestReport(t).scrape()
  assert.ok(!/^(nodejs|process)_/m.test(withoutThem))
})

test('what a label holds comes back as it was, but for what cannot be shown', async (t) => {
  const report = createTestReport(t)
  fill(report)
  for (const format of ['text', 'openmetrics'] as const) {
    const requests = valueIn(await report.scrape(format), 'streamgauge_requests_total', {
      model: 'we"ird\\\u{fffd}na{me}, le="1" # \u{fffd} ünï😀',
      outcome: 'ok',
      streamed: 'true',
    })
    assert.equal(requests, 1)
  }
})

test('bounds are written as Prometheus 3 stores them', () => {
  const written = [0.00005, 0.0001, 0.02, 0.75, 1, 1.5, 30, 600, 12_000, 999_999, 1_000_000, 2_500_000, 1e-10].map(
    boundText,
  )
  assert.deepEqual(written, [
    '5e-05',
    '0.0001',
    '0.02',
    '0.75',
    '1.0',
    '1.5',
    '30.0',
    '600.0',
    '12000.0',
    '999999.0',
    '1e+06',
    '2.5e+06',
    '1e-10',
  ])
})

test('numbers that are none are written as Prometheus reads them', () => {
  assert.deepEqual([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 0.1, 1e21].map(numberText), [
    '+Inf',
    '-Inf',
    'NaN',
    '0.1',
    '1e+21',
  ])
})

test('the metrics are in the registry of prom-client, which can tell of them, too', async (t) => {
  const report = createTestReport(t)
  report.tell(measurement())
  const ours = readExposition(await report.scrape('text'), 'text')
  const theirs = await report.metrics.registry.getMetricsAsJSON()
  assert.deepEqual(
    theirs.map(({ name }) => name),
    [...ours.keys()],
  )
  for (const { name, values } of theirs as unknown as { name: string; values: { value: number }[] }[]) {
    assert.deepEqual(
      values.map(({ value }) => value),
      ours.get(name)?.samples.map(({ value }) => value),
      name,
    )
  }
})
