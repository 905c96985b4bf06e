import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Random, seededRandom, shuffled } from '../../src/bench/random.ts'
import { ascending, medianInterval, quantileBound } from '../../src/bench/statistics.ts'
import { judge, type Verdict } from '../../src/bench/verdict.ts'

/** Log-normal with median 1: the usual shape of a latency. */
function latencies(n: number, sigma: number, random: Random, median = 1): number[] {
  const draw = (): number => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    return median * Math.exp(sigma * normal)
  }
  return Array.from({ length: n }, draw)
}

for (const n of [10, 20, 50]) {
  test(`the interval of the median of ${n} values covers the truth in at least 94 % of 2000 experiments`, () => {
    const random = seededRandom(`coverage ${n}`)
    let covered = 0
    for (let experiment = 0; experiment < 2000; experiment++) {
      const interval = medianInterval(ascending(latencies(n, 0.5, random)))
      if (interval !== undefined && interval.low <= 1 && 1 <= interval.high) covered++
    }
    assert.ok(covered >= 0.94 * 2000, `${covered} of 2000`)
  })
}

test('the bound of p95 is no less than the truth in at least 94 % of 2000 experiments', () => {
  const random = seededRandom('bound')
  const truth = Math.exp(0.5 * 1.6448536)
  let covered = 0
  for (let experiment = 0; experiment < 2000; experiment++) {
    if ((quantileBound(ascending(latencies(100, 0.5, random)), 0.95)?.value ?? 0) >= truth) covered++
  }
  assert.ok(covered >= 0.94 * 2000, `${covered} of 2000`)
})

function verdicts(pairs: number, slower: number, seed: string): Record<Verdict, number> {
  const random = seededRandom(seed)
  const counts = { worse: 0, 'no worse': 0, inconclusive: 0 }
  for (let pair = 0; pair < pairs; pair++) {
    const [before, after] = [latencies(20, 0.25, random), latencies(20, 0.25, random, slower)]
    const [answer] = judge([{ before, after, better: 'less' }], 0.1, random)
    if (answer !== undefined) counts[answer.verdict]++
  }
  return counts
}

test('equal inputs are called worse in under 4 % of 1000 pairs', () => {
  const counts = verdicts(1000, 1, 'equal')
  assert.ok(counts.worse < 40, JSON.stringify(counts))
})

test('+50 % is found in over 90 % of 1000 pairs at n = 20 and sigma 0.25', () => {
  const counts = verdicts(1000, 1.5, 'slower')
  assert.ok(counts.worse > 900, JSON.stringify(counts))
})

test('ten questions about equal inputs at once: any is called worse in under 5 % of 200 runs', () => {
  const random = seededRandom('many')
  let alarms = 0
  for (let run = 0; run < 200; run++) {
    const questions = Array.from({ length: 10 }, () => ({
      before: latencies(20, 0.25, random),
      after: latencies(20, 0.25, random),
      better: 'less' as const,
    }))
    if (judge(questions, 0.1, random).some(({ verdict }) => verdict === 'worse')) alarms++
  }
  assert.ok(alarms < 10, `${alarms} of 200`)
})

test('what is not decided says about how many more runs would decide', () => {
  const random = seededRandom('more')
  const before = latencies(10, 0.3, random)
  const [answer] = judge([{ before, after: latencies(10, 0.3, random), better: 'less' }], 0.1, random)
  assert.equal(answer?.verdict, 'inconclusive')
  assert.ok((answer.moreNeeded ?? 0) > 0)
})

test('a rate that falls is worse, one that rises is not', () => {
  const random = seededRandom('rates')
  const before = latencies(20, 0.05, random, 100)
  const questions = [60, 150].map((rate) => ({
    before,
    after: latencies(20, 0.05, random, rate),
    better: 'more' as const,
  }))
  assert.deepEqual(
    judge(questions, 0.1, random).map(({ verdict }) => verdict),
    ['worse', 'no worse'],
  )
})

test('a sample of nothing decides nothing', () => {
  const [answer] = judge([{ before: [1, 2, 3], after: [], better: 'less' }], 0.1, seededRandom('none'))
  assert.equal(answer?.verdict, 'inconclusive')
  assert.equal(answer?.after, undefined)
})

test('the same seed gives the same numbers, and a shuffle keeps all', () => {
  const [one, other] = [seededRandom('a'), seededRandom('a')]
  assert.deepEqual([one(), one(), one()], [other(), other(), other()])
  assert.notEqual(seededRandom('b')(), seededRandom('a')())
  assert.deepEqual(ascending(shuffled([5, 1, 4, 2, 3], one)), [1, 2, 3, 4, 5])
  const mean = Array.from({ length: 10_000 }, one).reduce((sum, value) => sum + value, 0) / 10_000
  assert.ok(mean > 0.48 && mean < 0.52, String(mean))
})
