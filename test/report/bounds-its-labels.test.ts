import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedValues, cleanLabel } from '../../src/report/label-values.ts'
import { readExposition, sumIn, valueIn } from '../helpers/exposition.ts'
import { measurement, passedThrough } from '../helpers/measurement.ts'
import { createTestReport, plainLabels } from '../helpers/report.ts'

function valuesOf(text: string, label: string): Set<string> {
  const samples = [...readExposition(text, 'text').values()].flatMap((family) => family.samples)
  return new Set(samples.flatMap((sample) => sample.labels[label] ?? []))
}

test('5000 invented names cost at most the bounds, and every request is counted', async (t) => {
  const labels = { ...plainLabels, maxModels: 20, maxApps: 10, maxSets: 60 }
  const report = createTestReport(t, { labels, log: { exchanges: false } })
  const invent = (index: number): void => {
    const identity = { model: `model-${index}`, app: `app-${index % 777}` }
    report.tell(measurement({ identity, servedModel: `served-${index}`, provider: `provider-${index}` }))
  }
  for (let index = 0; index < 5000; index++) invent(index)
  const text = await report.scrape()
  assert.equal(
    valuesOf(text, 'model').size,
    20 + 1 + 1,
    'the bound, other, and the empty one of what is passed through',
  )
  assert.equal(valuesOf(text, 'app').size, 10 + 1 + 1)
  assert.ok(valuesOf(text, 'served_model').size <= 20 + 1)
  assert.ok(valuesOf(text, 'provider').size <= 20 + 1)
  assert.equal(sumIn(text, 'streamgauge_requests_total'), 5000)
  assert.equal(sumIn(text, 'streamgauge_streams_started_total'), 5000)
  assert.equal(sumIn(text, 'streamgauge_served_by_total'), 5000)
  assert.equal(sumIn(text, 'streamgauge_decode_tokens_total'), 500_000)
  assert.equal(sumIn(text, 'streamgauge_time_to_first_token_seconds_count'), 5000)
  assert.equal(valueIn(text, 'streamgauge_label_overflow_total', { label: 'model' }), 4980)
  assert.ok((valueIn(text, 'streamgauge_label_overflow_total', { label: 'app' }) ?? 0) > 0)
  const series = text.split('\n').filter((line) => !line.startsWith('#')).length
  for (let index = 5000; index < 10_000; index++) invent(index)
  const later = (await report.scrape()).split('\n').filter((line) => !line.startsWith('#')).length
  assert.equal(later, series, 'no further name makes a series')
})

test('where there is no room for a set, model and app become other together', async (t) => {
  const report = createTestReport(t, { labels: { ...plainLabels, maxSets: 2 } })
  for (const [model, app] of [
    ['m1', 'a1'],
    ['m2', 'a2'],
    ['m1', 'a2'],
    ['m3', 'a1'],
    ['m1', 'a1'],
  ] as const) {
    report.tell(measurement({ identity: { model, app } }))
  }
  report.tell(passedThrough({ identity: { app: 'a3' } }))
  const text = await report.scrape()
  const ok = (labels: Record<string, string>) =>
    valueIn(text, 'streamgauge_requests_total', { outcome: 'ok', gateway: 'main', ...labels })
  assert.equal(ok({ model: 'm1', app: 'a1', streamed: 'true' }), 2)
  assert.equal(ok({ model: 'm2', app: 'a2', streamed: 'true' }), 1)
  assert.equal(ok({ model: 'other', app: 'other', streamed: 'true' }), 2)
  assert.equal(ok({ model: '', app: 'other', operation: 'passthrough' }), 1)
  assert.equal(valueIn(text, 'streamgauge_label_overflow_total', { label: 'set' }), 3)
  assert.equal(sumIn(text, 'streamgauge_requests_total'), 6)
})

test('sets of who served are bounded in number, too', async (t) => {
  const report = createTestReport(t, { labels: { ...plainLabels, maxSets: 3 } })
  for (let index = 0; index < 9; index++) {
    report.tell(measurement({ servedModel: `s${index % 3}`, provider: `p${Math.floor(index / 3)}` }))
  }
  report.tell(measurement({ servedModel: 's0', provider: 'p0' }))
  const text = await report.scrape()
  assert.equal(sumIn(text, 'streamgauge_served_by_total'), 10)
  assert.equal(valueIn(text, 'streamgauge_served_by_total', { served_model: 's0', provider: 'p0' }), 2)
  assert.equal(valueIn(text, 'streamgauge_served_by_total', { served_model: 'other', provider: 'other' }), 6)
  assert.equal(valueIn(text, 'streamgauge_label_overflow_total', { label: 'served_model' }), 6)
})

test('apps and operations share the sets of who served, which do not have these labels', async (t) => {
  const report = createTestReport(t, { labels: { ...plainLabels, maxSets: 6 } })
  for (let index = 0; index < 6; index++) report.tell(measurement({ identity: { app: `app-${index}` } }))
  report.tell(measurement({ servedModel: 's1' }))
  const text = await report.scrape()
  assert.equal(valueIn(text, 'streamgauge_served_by_total', { model: 'a/b', served_model: 'a/b-2026' }), 6)
  assert.equal(valueIn(text, 'streamgauge_served_by_total', { served_model: 's1' }), 1)
  assert.equal(valueIn(text, 'streamgauge_label_overflow_total', { label: 'served_model' }), 0)
})

test('a model that is literally called other takes no room and overflows nothing', async (t) => {
  const report = createTestReport(t, { labels: { ...plainLabels, maxModels: 1 } })
  report.tell(measurement({ identity: { model: 'other' } }))
  report.tell(measurement({ identity: { model: 'm1' } }))
  const text = await report.scrape()
  assert.equal(valueIn(text, 'streamgauge_label_overflow_total', { label: 'model' }), 0)
  assert.deepEqual(valuesOf(text, 'model'), new Set(['', 'other', 'm1']))
})

test('models are renamed, and those that are not allowed are other without an overflow', async (t) => {
  const models = { allow: ['gpt'], rename: { 'gpt-2026-01-01': 'gpt' } }
  const report = createTestReport(t, { labels: { ...plainLabels, models } })
  for (const model of ['gpt', 'gpt-2026-01-01', 'else', 'constructor', '__proto__']) {
    report.tell(measurement({ identity: { model } }))
  }
  const text = await report.scrape()
  assert.equal(sumIn(text, 'streamgauge_requests_total', { model: 'gpt' }), 2)
  assert.equal(sumIn(text, 'streamgauge_requests_total', { model: 'other' }), 3)
  assert.equal(sumIn(text, 'streamgauge_label_overflow_total'), 0)
  assert.equal(report.lines[1]?.['model'], 'gpt-2026-01-01', 'the log keeps the name')
})

test('names from an object are names like any others', async (t) => {
  const report = createTestReport(t)
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
  for (const name of names) {
    report.tell(measurement({ identity: { model: name, app: name }, servedModel: name, provider: name }))
  }
  const text = await report.scrape()
  for (const name of names) {
    assert.equal(sumIn(text, 'streamgauge_requests_total', { model: name, app: name }), 1)
    assert.equal(sumIn(text, 'streamgauge_served_by_total', { served_model: name, provider: name }), 1)
  }
})

test('values are cut at 64 characters, whole ones, and hold nothing that cannot be shown', () => {
  assert.equal(cleanLabel('x'.repeat(65)), 'x'.repeat(64))
  assert.equal(cleanLabel('😀'.repeat(65)), '😀'.repeat(64))
  assert.equal(cleanLabel(`${'x'.repeat(63)}😀y`), `${'x'.repeat(63)}😀`)
  assert.equal(cleanLabel('a\0b\nc\u{7f}d\u{85}e'), 'a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}e')
  assert.equal(cleanLabel('a\ud800b\udc00'), 'a\u{fffd}b\u{fffd}')
  assert.equal(cleanLabel('ünï/😀 x'), 'ünï/😀 x')
  assert.equal(cleanLabel('x'.repeat(50_000_000)).length, 64)
})

test('names that look the same once they are clean share one value', () => {
  let overflows = 0
  const values = new BoundedValues(2, () => overflows++)
  assert.equal(values.admit('a\u0001'), values.admit('a\u0002'))
  assert.equal(values.admit('b'), 'b')
  assert.equal(values.admit(''), '')
  assert.equal(overflows, 0)
  assert.equal(values.admit('c'), 'other')
  assert.equal(overflows, 1)
})
