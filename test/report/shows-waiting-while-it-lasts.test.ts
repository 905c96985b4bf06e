import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Marks } from '../../src/measurement/stream-measurement.ts'
import { valueIn } from '../helpers/exposition.ts'
import { measurement, runningExchange, withoutOutput } from '../helpers/measurement.ts'
import { createTestReport } from '../helpers/report.ts'

const waitingMarks = { firstToken: undefined, lastToken: undefined, firstAnswer: undefined, ended: undefined }
const model = { gateway: 'main', model: 'a/b' }

test('a gateway that hangs shows at once, and its wait grows with the clock', async (t) => {
  const report = createTestReport(t)
  const gauges = async () => {
    const text = await report.scrape()
    return ['streams_in_flight', 'streams_awaiting_first_token', 'longest_wait_seconds'].map((name) =>
      valueIn(text, `streamgauge_${name}`, model),
    )
  }
  assert.deepEqual(await gauges(), [undefined, undefined, undefined])
  const m = measurement()
  const marks: Partial<Marks> = { ...waitingMarks, dispatched: 1000 }
  const [hanging, other] = [runningExchange(m, marks), runningExchange(m, { ...marks, dispatched: 4000 })]
  report.recorder.started(hanging)
  report.recorder.started(other)
  report.now = 5000
  assert.deepEqual(await gauges(), [2, 2, 4])
  report.now = 65_000
  assert.deepEqual(await gauges(), [2, 2, 64])

  // Its first token comes: it still runs, and waits no more.
  const answering = hanging.marks as Marks
  answering.firstToken = 65_000
  report.recorder.firstToken(hanging)
  assert.deepEqual(await gauges(), [2, 1, 61])
  report.recorder.ended(m, hanging)
  report.recorder.ended(measurement({ ...withoutOutput, outcome: 'client_abort' }), other)
  assert.deepEqual(await gauges(), [0, 0, 0], 'a label set once seen stays, at 0')
  assert.equal(report.inFlight.size, 0)
})

test('a request whose hand-over has not happened yet waits for nothing yet', async (t) => {
  const report = createTestReport(t)
  report.recorder.started(runningExchange(measurement(), { ...waitingMarks, dispatched: undefined }))
  const text = await report.scrape()
  assert.equal(valueIn(text, 'streamgauge_streams_awaiting_first_token', model), 1)
  assert.equal(valueIn(text, 'streamgauge_longest_wait_seconds', model), 0)
})

test('what asks for no stream is running, and in no gauge', async (t) => {
  const report = createTestReport(t)
  const m = measurement({ identity: { streamAsked: false } })
  const exchange = runningExchange(m, waitingMarks)
  report.recorder.started(exchange)
  assert.deepEqual([...report.inFlight.running()], [exchange])
  assert.equal(valueIn(await report.scrape(), 'streamgauge_streams_in_flight', model), undefined)
  report.recorder.ended(m, exchange)
  assert.equal(report.inFlight.size, 0)
})

test('gauges keep to the bounded names', async (t) => {
  const labels = { maxModels: 1, maxApps: 1, maxSets: 9, inputSize: false, models: { allow: [], rename: {} } }
  const report = createTestReport(t, { labels })
  for (const name of ['m1', 'm2', 'm3']) {
    report.recorder.started(runningExchange(measurement({ identity: { model: name } }), waitingMarks))
  }
  const text = await report.scrape()
  assert.equal(valueIn(text, 'streamgauge_streams_in_flight', { model: 'm1' }), 1)
  assert.equal(valueIn(text, 'streamgauge_streams_in_flight', { model: 'other' }), 2)
  assert.equal(valueIn(text, 'streamgauge_label_overflow_total', { label: 'model' }), 2)
})

test('an end without a start, as of a refused request, leaves nothing in flight', async (t) => {
  const report = createTestReport(t)
  const m = measurement({ ...withoutOutput, outcome: 'rejected', status: 413, answered: false })
  report.recorder.ended(m, runningExchange(m))
  const text = await report.scrape()
  assert.equal(valueIn(text, 'streamgauge_streams_in_flight', model), 0)
  assert.equal(valueIn(text, 'streamgauge_streams_started_total', model), 0)
})
