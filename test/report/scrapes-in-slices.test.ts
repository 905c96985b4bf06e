import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { linesPerSlice } from '../../src/report/exposition.ts'
import { readExposition, sumIn } from '../helpers/exposition.ts'
import { measurement, runningExchange } from '../helpers/measurement.ts'
import { createTestReport, plainLabels, type TestReport } from '../helpers/report.ts'

/** The most lines one child has: more than that a slice cannot hold beyond its bound, but for the head of the next families. */
const mostLinesOfAChild = 300

function crowded(t: TestContext): TestReport {
  const report = createTestReport(t, { labels: plainLabels, log: { exchanges: false } })
  for (let index = 0; index < 80; index++) report.tell(measurement({ identity: { model: `model-${index}` } }))
  return report
}

const linesOf = (text: string): number => text.split('\n').length - 1

test('20 000 series come in slices, and the event loop has a turn between any two', async (t) => {
  const report = crowded(t)
  // 50 streams run meanwhile.
  for (let index = 0; index < 50; index++) report.recorder.started(runningExchange(measurement()))
  let turns = 0
  let counting = true
  const countTurn = (): void => {
    turns++
    if (counting) setImmediate(countTurn)
  }
  setImmediate(countTurn)
  const slices: { lines: number; turn: number }[] = []
  let text = ''
  await report.metrics.render('text', (slice) => {
    slices.push({ lines: linesOf(slice), turn: turns })
    text += slice
  })
  counting = false
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length
  assert.ok(series >= 20_000, `${series} series`)
  assert.ok(slices.length >= series / (linesPerSlice + mostLinesOfAChild))
  for (const [index, { lines, turn }] of slices.entries()) {
    assert.ok(lines <= linesPerSlice + mostLinesOfAChild, `slice ${index} has ${lines} lines`)
    if (index > 0) assert.ok(turn > (slices[index - 1]?.turn as number), `no turn before slice ${index}`)
  }
  readExposition(text, 'text')
})

test('scrapes at once, in both formats, do not interfere; what is recorded meanwhile tears no histogram apart', async (t) => {
  const report = crowded(t)
  let recording = true
  const record = (): void => {
    report.tell(measurement({ identity: { model: 'model-79' } }))
    report.tell(measurement({ identity: { model: 'model-0' } }))
    if (recording) setImmediate(record)
  }
  setImmediate(record)
  const formats = ['text', 'openmetrics', 'text', 'openmetrics'] as const
  const texts = await Promise.all(formats.map((format) => report.scrape(format)))
  recording = false
  for (const [index, text] of texts.entries()) {
    // Throws where buckets are not cumulative or do not end with the count.
    readExposition(text, formats[index] as 'text')
    assert.ok(sumIn(text, 'streamgauge_requests_total') >= 80)
  }
})

test('gauges of one scrape are of one instant, whatever a later scrape reads', async (t) => {
  const report = crowded(t)
  report.recorder.started(runningExchange(measurement({ identity: { model: 'held' } }), { firstToken: undefined }))
  report.now = 3001
  const first = report.metrics.slices('text')
  let text = (await first.next()).value as string
  report.now = 9001
  await report.scrape()
  for await (const slice of first) text += slice
  assert.equal(sumIn(text, 'streamgauge_longest_wait_seconds', { model: 'held' }), 2)
})

test('a writer that throws ends its scrape alone', async (t) => {
  const report = crowded(t)
  const gone = new Error('gone')
  await assert.rejects(
    report.metrics.render('text', () => {
      throw gone
    }),
    gone,
  )
  readExposition(await report.scrape(), 'text')
})

test('a slow writer is waited for', async (t) => {
  const report = crowded(t)
  let writing = 0
  await report.metrics.render('text', async () => {
    assert.equal(++writing, 1)
    await new Promise((resolve) => setImmediate(resolve))
    writing--
  })
})
