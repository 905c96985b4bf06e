import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readExposition, type Sample } from '../helpers/exposition.ts'
import { measurement } from '../helpers/measurement.ts'
import { createTestReport } from '../helpers/report.ts'

const bucketsOf = (text: string): Sample[] =>
  (readExposition(text, 'openmetrics').get('streamgauge_time_to_first_token_seconds')?.samples ?? []).filter(
    ({ exemplar }) => exemplar,
  )

test("a bucket's exemplar is its last stream: the trace of its request, else our own id", async (t) => {
  const report = createTestReport(t)
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  report.tell(measurement({ marks: { firstToken: 1510 } }))
  report.tell(measurement({ identity: { traceId } }))
  report.tell(measurement({ marks: { dispatched: 10, firstToken: 3010 } }))

  const found = bucketsOf(await report.scrape('openmetrics'))
  const lines = report.lines as { id: string; trace_id: string | null; figures: Record<string, number> }[]
  for (const { labels, exemplar } of found) {
    const line = lines.find(({ id, trace_id }) =>
      exemplar?.labels['trace_id'] === undefined
        ? id === exemplar?.labels['exchange_id']
        : trace_id === exemplar.labels['trace_id'],
    )
    assert.equal(exemplar?.value, line?.figures['time_to_first_token_seconds'])
    assert.ok((exemplar?.value as number) <= Number(labels['le']))
  }
  assert.deepEqual(found.flatMap(({ exemplar }) => Object.keys(exemplar?.labels ?? {})).sort(), [
    'exchange_id',
    'trace_id',
  ])
})

test('it stands at the time of the first token', async (t) => {
  const report = createTestReport(t)
  const m = measurement()
  report.tell(m)
  const [bucket] = bucketsOf(await report.scrape('openmetrics'))
  const { received, firstToken } = m.marks
  assert.equal(bucket?.exemplar?.time, (m.identity.startedAt + (firstToken as number) - received) / 1000)
})

test('the text format has none', async (t) => {
  const report = createTestReport(t)
  report.tell(measurement())
  assert.doesNotMatch(await report.scrape(), /exchange_id| # /)
})
