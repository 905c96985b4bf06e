import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Recorder } from '../../src/measurement/recorder.ts'
import { combineRecorders } from '../../src/report/recorder.ts'
import { valueIn } from '../helpers/exposition.ts'
import { measurement, runningExchange } from '../helpers/measurement.ts'
import { createTestReport } from '../helpers/report.ts'

type Call = 'started' | 'firstToken' | 'ended'

function listener(calls: string[], throwsAt?: Call): Recorder {
  const hear = (call: Call) => (): void => {
    calls.push(call)
    if (call === throwsAt) throw new Error(`${call} fails`)
  }
  return { started: hear('started'), firstToken: hear('firstToken'), ended: hear('ended') }
}

for (const [throwsAt, heard] of [
  ['started', ['started']],
  ['firstToken', ['started', 'firstToken']],
  ['ended', ['started', 'firstToken', 'ended']],
] as const) {
  test(`one that throws at ${throwsAt} hears no more of that exchange, the others hear all`, () => {
    const errors: unknown[] = []
    const [before, broken, after]: [string[], string[], string[]] = [[], [], []]
    const recorder = combineRecorders([listener(before), listener(broken, throwsAt), listener(after)], (error) =>
      errors.push(error),
    )
    const m = measurement()
    for (let round = 0; round < 2; round++) {
      const exchange = runningExchange(m)
      recorder.started(exchange)
      recorder.firstToken(exchange)
      recorder.ended(m, exchange)
    }
    const all = ['started', 'firstToken', 'ended']
    assert.deepEqual(before, [...all, ...all])
    assert.deepEqual(after, [...all, ...all])
    assert.deepEqual(broken, [...heard, ...heard], 'muted for an exchange, not for ever')
    assert.equal(errors.length, 2)
  })
}

test('who counts the failures may fail, too', () => {
  const recorder = combineRecorders([listener([], 'ended')], () => {
    throw new Error('counting fails')
  })
  const m = measurement()
  recorder.ended(m, runningExchange(m))
})

test('a failure is counted as an observer error, and all else is recorded', async (t) => {
  const report = createTestReport(t, { recorders: [listener([], 'started'), listener([], 'ended')] })
  report.tell(measurement())
  const text = await report.scrape()
  assert.equal(valueIn(text, 'streamgauge_measurement_errors_total', { stage: 'observer' }), 2)
  assert.equal(valueIn(text, 'streamgauge_requests_total', { model: 'a/b', outcome: 'ok', streamed: 'true' }), 1)
  assert.equal(report.lines.length, 1)
  assert.equal(report.recent.list().length, 1)
})

test('a log that cannot be written is counted and stops nothing', async (t) => {
  const report = createTestReport(t, {
    write: () => {
      throw new Error('disk full')
    },
  })
  report.tell(measurement())
  const text = await report.scrape()
  assert.equal(valueIn(text, 'streamgauge_measurement_errors_total', { stage: 'observer' }), 1)
  assert.equal(valueIn(text, 'streamgauge_streams_in_flight', { model: 'a/b' }), 0)
})

test('a measurement that makes no sense leaves no stream in flight', async (t) => {
  const report = createTestReport(t)
  const exchange = runningExchange(measurement())
  report.recorder.started(exchange)
  report.recorder.ended({ ...measurement(), output: undefined as never }, exchange)
  const text = await report.scrape()
  assert.equal(valueIn(text, 'streamgauge_streams_in_flight', { model: 'a/b' }), 0)
  assert.equal(report.inFlight.size, 0)
  assert.ok((valueIn(text, 'streamgauge_measurement_errors_total', { stage: 'observer' }) ?? 0) > 0)
})

test('numbers that are none spoil no sum', async (t) => {
  const report = createTestReport(t)
  report.tell(
    measurement({
      costUsd: Number.NaN,
      pausedMs: Number.POSITIVE_INFINITY,
      resends: -1,
      tokens: { input: Number.NaN, cachedInput: -5, cacheWriteInput: undefined, output: 101, reasoning: undefined },
      marks: { headers: Number.NaN, sent: 900 },
    }),
  )
  report.tell(measurement({ costUsd: 0.5 }))
  const text = await report.scrape()
  assert.equal(valueIn(text, 'streamgauge_cost_usd_total', { model: 'a/b' }), 0.5)
  assert.equal(valueIn(text, 'streamgauge_backpressure_seconds_total', { model: 'a/b' }), 0)
  assert.equal(valueIn(text, 'streamgauge_tokens_total', { model: 'a/b', type: 'cached_input' }), 0)
  assert.equal(valueIn(text, 'streamgauge_tokens_total', { model: 'a/b', type: 'input' }), 194)
  assert.ok(!text.includes('NaN'))
})
