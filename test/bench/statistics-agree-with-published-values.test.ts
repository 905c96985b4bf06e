import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  binomialAtMost,
  fewestForBound,
  lowerQuantileBound,
  median,
  medianInterval,
  medianRanks,
  quantileBound,
} from '../../src/bench/statistics.ts'
import { holm, mannWhitney, normalAbove } from '../../src/bench/statistics-tests.ts'

const near = (actual: number | undefined, expected: number, within: number): void =>
  assert.ok(actual !== undefined && Math.abs(actual - expected) <= within, `${actual} is not ${expected}`)

const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1)

test('medians', () => {
  assert.equal(median([]), undefined)
  assert.equal(median([3]), 3)
  assert.equal(median([1, 2, 10]), 2)
  assert.equal(median([1, 2, 4, 10]), 3)
})

/** Tables of nonparametric intervals (Conover, Practical Nonparametric Statistics; Le Boudec, Performance Evaluation, appendix A). */
for (const [n, low, high, coverage] of [
  [6, 1, 6, 0.969],
  [8, 1, 8, 0.992],
  [9, 2, 8, 0.961],
  [10, 2, 9, 0.979],
  [20, 6, 15, 0.959],
  [50, 18, 33, 0.967],
  [70, 27, 44, 0.959],
] as const) {
  test(`the median of ${n} values lies between the ${low}th and the ${high}th with ${coverage}`, () => {
    const ranks = medianRanks(n)
    assert.deepEqual([ranks?.low, ranks?.high], [low, high])
    near(ranks?.coverage, coverage, 0.0006)
    assert.equal(medianInterval(upTo(n))?.low, low)
  })
}

test('five values cannot tell where the median is', () => {
  assert.equal(medianInterval(upTo(5)), undefined)
})

test('p95 is bounded from 59 values on, p99 from 299', () => {
  assert.equal(fewestForBound(0.95), 59)
  assert.equal(fewestForBound(0.99), 299)
  assert.equal(quantileBound(upTo(58), 0.95), undefined)
  assert.equal(quantileBound(upTo(59), 0.95)?.value, 59)
  assert.equal(quantileBound(upTo(298), 0.99), undefined)
  assert.equal(quantileBound(upTo(299), 0.99)?.value, 299)
  // Second largest from 93 on: tables of one-sided tolerance limits (0.95, 0.95).
  assert.equal(quantileBound(upTo(92), 0.95)?.value, 92)
  assert.equal(quantileBound(upTo(93), 0.95)?.value, 92)
  assert.equal(lowerQuantileBound(upTo(59), 0.05)?.value, 1)
})

test('the binomial distribution does not underflow', () => {
  near(binomialAtMost(2, 10, 0.5), 56 / 1024, 1e-12)
  near(binomialAtMost(5000, 10_000, 0.5), 0.50398936, 1e-6)
})

test('the tail of the normal distribution', () => {
  near(normalAbove(0), 0.5, 1e-7)
  near(normalAbove(1.959963985), 0.025, 1e-8)
  near(normalAbove(3), 0.0013498980316, 1e-9)
  near(normalAbove(-1), 0.8413447460685, 1e-7)
})

test('Mann-Whitney, exact: the permeability example of Hollander and Wolfe', () => {
  const term = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
  const early = [1.15, 0.88, 0.9, 0.74, 1.21]
  const found = mannWhitney(term, early)
  assert.equal(found?.u, 35)
  assert.equal(found?.method, 'exact')
  near(found?.p, 2 * 0.1272061, 1e-6)
})

test('Mann-Whitney, exact: smallest p of samples that do not overlap is 2 / (8 choose 4)', () => {
  near(mannWhitney([1, 2, 3, 4], [5, 6, 7, 8])?.p, 2 / 70, 1e-12)
  assert.equal(mannWhitney([1, 2, 3, 4], [5, 6, 7, 8])?.u, 0)
  assert.equal(mannWhitney([], [1]), undefined)
})

test('Mann-Whitney, normal with ties: ozone in May and August (R, help page of wilcox.test)', () => {
  const may = [41, 36, 12, 18, 28, 23, 19, 8, 7, 16, 11, 14, 18, 14, 34, 6, 30, 11, 1, 11, 4, 32, 23, 45, 115, 37]
  const august = [
    39, 9, 16, 78, 35, 66, 122, 89, 110, 44, 28, 65, 22, 59, 23, 31, 44, 21, 9, 45, 168, 73, 76, 118, 84, 85,
  ]
  const found = mannWhitney(may, august)
  assert.equal(found?.u, 127.5)
  assert.equal(found?.method, 'normal')
  near(found?.p, 0.0001208, 5e-8)
})

test('Mann-Whitney of equal values says nothing', () => {
  assert.equal(mannWhitney([1, 1, 1], [1, 1])?.p, 1)
})

test("Holm's correction steps down and never decreases", () => {
  assert.deepEqual(
    holm([0.01, 0.04, 0.03, 0.005]).map((p) => Number(p.toFixed(6))),
    [0.03, 0.06, 0.06, 0.02],
  )
  assert.deepEqual(
    holm([0.01, 0.02, 0.03, 0.04, 0.05]).map((p) => Number(p.toFixed(6))),
    [0.05, 0.08, 0.09, 0.09, 0.09],
  )
  assert.deepEqual(holm([]), [])
})
