import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventLoopWatch } from '../../src/report/event-loop.ts'
import { GaugeChild, HistogramChild } from '../../src/report/families.ts'
import { sumIn, valueIn } from '../helpers/exposition.ts'
import { createTestReport } from '../helpers/report.ts'

function watch(t: { after(fn: () => void): void }) {
  const held = { now: 5000 }
  const stalls = new HistogramChild(Float64Array.of(0.02, 0.1, 1), {})
  const maximum = new GaugeChild({})
  const watching = new EventLoopWatch(() => held.now, stalls, maximum)
  t.after(() => watching.close())
  return {
    stalls,
    watching,
    /** The timer's turn comes at this time. */
    tickAt(time: number): void {
      held.now = time
      watching.tick()
    },
    maximumAt(time: number): number {
      held.now = time
      watching.read()
      return maximum.value
    },
  }
}

test('a timer that is on time, or late by less than 10 ms, tells of no stall', (t) => {
  const { stalls, tickAt, maximumAt } = watch(t)
  for (let time = 5020; time < 8000; time += 29) tickAt(time)
  assert.equal(stalls.count, 0)
  assert.equal(maximumAt(8000), 0)
})

test('one block is one sample, with its length', (t) => {
  const { stalls, watching, tickAt, maximumAt } = watch(t)
  tickAt(5020)
  tickAt(5240)
  tickAt(5260)
  assert.equal(stalls.count, 1)
  assert.equal(stalls.sum, 0.2)
  assert.equal(maximumAt(5260), 0.2)
  assert.deepEqual(watching.lastStall, { seconds: 0.2, at: 5240 })
})

test('the maximum is of the last 60 seconds, and reading it changes nothing', (t) => {
  const { tickAt, maximumAt } = watch(t)
  tickAt(5020)
  tickAt(5540)
  tickAt(5660)
  assert.equal(maximumAt(6000), 0.5)
  assert.equal(maximumAt(6000), 0.5)
  tickAt(35_680)
  assert.equal(maximumAt(36_000), 30)
  assert.equal(maximumAt(64_999), 30)
  assert.equal(maximumAt(95_999), 0)
})

test('a slot of the window that comes round again begins anew', (t) => {
  const { tickAt, maximumAt } = watch(t)
  tickAt(5020)
  tickAt(6040)
  assert.equal(maximumAt(6040), 1)
  for (let time = 6060; time <= 66_020; time += 20) tickAt(time)
  tickAt(66_070)
  assert.equal(maximumAt(66_070), 0.03)
})

test('a real block is seen by the real timer', async (t) => {
  const report = createTestReport(t, { clock: () => performance.now() })
  const until = performance.now() + 150
  while (performance.now() < until) Math.sqrt(2)
  while (report.metrics.eventLoop.lastStall === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
  const text = await report.scrape()
  assert.ok(sumIn(text, 'streamgauge_event_loop_stall_seconds_count') >= 1)
  assert.ok((valueIn(text, 'streamgauge_event_loop_stall_max_seconds') ?? 0) >= 0.1)
})
