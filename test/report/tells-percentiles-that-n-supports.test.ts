import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FineHistogram, supports } from '../../src/report/fine-histogram.ts'

test('a median needs 5 values, a 95th percentile 59', () => {
  assert.deepEqual([supports(0.5, 4), supports(0.5, 5)], [false, true])
  assert.deepEqual([supports(0.95, 58), supports(0.95, 59)], [false, true])
  const histogram = new FineHistogram(0.001)
  for (let n = 0; n < 4; n++) histogram.observe(1)
  assert.equal(histogram.quantile(0.5), undefined)
  histogram.observe(1)
  assert.equal(histogram.quantile(0.5), 1)
  assert.equal(histogram.quantile(0.95), undefined)
})

test('percentiles are within 5 % of the exact ones, over six orders of magnitude', () => {
  for (const scale of [0.002, 0.3, 40, 500]) {
    const values = Array.from({ length: 997 }, (_, index) => scale * Math.exp(Math.sin(index * 12.9898) * 1.5))
    const parts = [new FineHistogram(0.0005), new FineHistogram(0.0005)] as const
    for (const [index, value] of values.entries()) parts[index % 2 === 0 ? 0 : 1].observe(value)
    parts[0].merge(parts[1])
    values.sort((a, b) => a - b)
    for (const quantile of [0.5, 0.95]) {
      const exact = values[Math.ceil(quantile * values.length) - 1] as number
      const told = parts[0].quantile(quantile) as number
      assert.ok(Math.abs(told / exact - 1) < 0.05, `${quantile} of ${scale}: ${told}, not ${exact}`)
    }
  }
})

test('what lies beyond the buckets is counted at their ends', () => {
  const histogram = new FineHistogram(0.001)
  for (const value of [0, 0, 0, 1e12, 1e12, 1e12]) histogram.observe(value)
  assert.equal(histogram.count, 6)
  assert.ok(Number.isFinite(histogram.quantile(0.5)))
  const { counts } = histogram.bins()
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    6,
  )
})

test('pictures hold every value once, without empty bins at the ends', () => {
  const histogram = new FineHistogram(0.001)
  assert.deepEqual(histogram.bins(), { first: 0, counts: [] })
  for (const value of [0.1, 0.1, 0.5]) histogram.observe(value)
  const { first, counts } = histogram.bins()
  assert.ok(first > 0)
  assert.equal(counts[0], 2)
  assert.equal(counts.at(-1), 1)
})
