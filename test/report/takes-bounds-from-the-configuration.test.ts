import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFrom } from '../../src/config/load.ts'
import { latencyBuckets } from '../../src/measurement/buckets.ts'
import { Histogram } from '../../src/measurement/histogram.ts'
import { HistogramChild } from '../../src/report/families.ts'
import { readExposition, valueIn } from '../helpers/exposition.ts'
import { measurement } from '../helpers/measurement.ts'
import { createTestReport, plainMetrics } from '../helpers/report.ts'

async function boundsIn(report: ReturnType<typeof createTestReport>, name: string): Promise<string[]> {
  const family = readExposition(await report.scrape(), 'text').get(`streamgauge_${name}`)
  return (family?.samples ?? []).flatMap(({ labels }) => (labels['le'] === undefined ? [] : [labels['le']]))
}

test('thresholds of an SLO are exact bounds of all that such an alert counts', async (t) => {
  const report = createTestReport(t, { metrics: { ...plainMetrics, slo: { ttft: [2300, 500, 1500] } } })
  report.tell(measurement())
  for (const name of [
    'time_to_first_token_seconds',
    'time_to_first_token_by_cache_seconds',
    'abandoned_wait_seconds',
  ]) {
    const bounds = await boundsIn(report, name)
    assert.equal(bounds.length, latencyBuckets.length + 2 + 1, 'one of the three is a bound already')
    assert.ok(bounds.includes('2.3') && bounds.includes('0.5'))
    assert.equal(bounds.filter((bound) => bound === '1.5').length, 1)
  }
  assert.ok(!(await boundsIn(report, 'time_to_headers_seconds')).includes('2.3'))
  assert.equal(valueIn(await report.scrape(), 'streamgauge_time_to_first_token_seconds_bucket', { le: '0.5' }), 1)
})

test('the configuration as it is read fits', async (t) => {
  const { metrics, labels } = configFrom({
    gateways: [{ name: 'main', url: 'https://gateway.example/v1' }],
    metrics: { slo: { ttft: ['500ms', '2.3s'] }, buckets: { longest_stall_seconds: [1, 10] }, defaultMetrics: false },
  })
  const report = createTestReport(t, { metrics, labels })
  report.tell(measurement())
  assert.ok((await boundsIn(report, 'time_to_first_token_seconds')).includes('2.3'))
  assert.deepEqual(await boundsIn(report, 'longest_stall_seconds'), ['1.0', '10.0', '+Inf'])
})

test('gaps that were gathered in other bounds count as the upper bound of their bucket, with their exact sum', async (t) => {
  const report = createTestReport(t, { metrics: { ...plainMetrics, buckets: { inter_chunk_seconds: [0.02, 0.1, 1] } } })
  report.tell(measurement({ gaps: [0.0199, 0.021, 0.05, 0.35, 0.61, 25] }))
  const text = await report.scrape()
  const upTo = (le: string) => valueIn(text, 'streamgauge_inter_chunk_seconds_bucket', { le })
  assert.deepEqual(['0.02', '0.1', '1.0', '+Inf'].map(upTo), [1, 3, 5, 6])
  assert.equal(valueIn(text, 'streamgauge_inter_chunk_seconds_count'), 6)
  assert.ok(Math.abs((valueIn(text, 'streamgauge_inter_chunk_seconds_sum') ?? 0) - 26.0509) < 1e-9)
})

test('equal bounds are merged count by count', () => {
  const child = new HistogramChild(Float64Array.of(1, 2), {})
  const gathered = new Histogram(Float64Array.of(1, 2))
  for (const value of [0.5, 1, 1.5, 3]) gathered.observe(value)
  child.add(gathered)
  child.add(gathered)
  assert.deepEqual([...child.counts], [4, 2, 2])
  assert.equal(child.sum, 12)
  assert.equal(child.count, 8)
})
