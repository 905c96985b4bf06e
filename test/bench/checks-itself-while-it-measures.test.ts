import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runBench } from '../../src/bench/bench.ts'
import { builtInPrompt } from '../../src/bench/built-in-prompts.ts'
import { LoopWatch } from '../../src/bench/loop-watch.ts'
import { reportOf } from '../../src/bench/report.ts'
import { textReport } from '../../src/bench/text-report.ts'
import { planOf } from '../helpers/bench.ts'
import { simulatedGateway } from '../helpers/simulated-gateway.ts'

test('a mark taken while the loop was held may be late by what was held before it', () => {
  let now = 1000
  const watch = new LoopWatch(() => now)
  watch.close()
  const tick = (at: number): void => {
    now = at
    watch.tick()
  }
  tick(1005)
  tick(1010)
  // Due at 1015, it came at 1055.
  tick(1055)
  tick(1060)
  assert.equal(watch.latenessAt(1012), 0)
  assert.equal(watch.latenessAt(1035), 20)
  assert.equal(watch.latenessAt(1055), 40)
  // Sockets are read right after the timers.
  assert.equal(watch.latenessAt(1056), 40)
  assert.equal(watch.latenessAt(1059), 0)
  assert.equal(watch.latenessAt(undefined), 0)
  assert.equal(watch.longestMs, 40)
  assert.equal(watch.heldMs, 40)
})

test('thousands of stalls keep within bounds', () => {
  let now = 0
  const watch = new LoopWatch(() => now)
  watch.close()
  for (let at = 0; at < 10_000; at++) {
    now += 20
    watch.tick()
  }
  assert.equal(watch.latenessAt(now), 15)
  assert.equal(watch.heldMs, 150_000)
})

test('runs that the bench spoilt are marked, left out, and warned of', async (t) => {
  const { url } = await simulatedGateway(t)
  const plan = planOf({
    targets: [{ baseUrl: url, models: ['sim/fast'] }],
    runs: 4,
    maxTokens: 20,
    promptMode: 'uncached',
  })
  // With no tolerance at all every mark is too late.
  const run = await runBench(plan, [builtInPrompt('function')], {
    version: 'test',
    stop: new AbortController().signal,
    tolerance: { ms: -1, share: -1 },
  })
  assert.ok(!('problems' in run))
  assert.deepEqual(
    run.exchanges.map(({ left }) => left),
    ['cold', 'spoilt', 'spoilt', 'spoilt'],
  )
  const { cells, sections } = reportOf(run)
  assert.equal(cells[0]?.kept.length, 0)
  assert.match(textReport(sections), /3 of 4 runs were spoilt by the bench's own delays and left out/)
  assert.ok(run.selfCheck.cores > 0)
})
