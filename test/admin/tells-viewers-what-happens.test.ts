import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { LiveSources } from '../../src/admin/live-source.ts'
import { ChunkInstants } from '../../src/measurement/chunk-instants.ts'
import type { RunningExchange } from '../../src/measurement/recorder.ts'
import { startTestAdmin } from '../helpers/admin.ts'
import { measurement, runningExchange, withoutOutput } from '../helpers/measurement.ts'
import { createTestReport, type TestReport } from '../helpers/report.ts'
import { watch } from '../helpers/viewer.ts'

const limits = { timeout: 10_000 }
/** Megabytes are made and sent. */
const manyLimits = { timeout: 60_000 }

/** An admin whose feed has its time in the test's hand, and that counts how often it looks at what runs. */
async function heldFeed(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const report = createTestReport(t)
  const looks = { running: 0, recent: 0, models: 0 }
  const live: LiveSources = {
    inFlight: {
      running: () => {
        looks.running++
        return report.inFlight.running()
      },
      get size() {
        return report.inFlight.size
      },
    },
    recent: report.recent,
    models: {
      rows: () => {
        looks.models++
        return report.models.rows()
      },
    },
    eventLoop: report.metrics.eventLoop,
    clock: () => report.now,
    wallClock: () => 1_796_000_000_000 + report.now,
  }
  const admin = await startTestAdmin(t, report, { live })
  return { report, admin, looks, tick: (ms: number) => t.mock.timers.tick(ms) }
}

function begin(report: TestReport, model: string): RunningExchange {
  const exchange = runningExchange(measurement({ ...withoutOutput, identity: { model, app: model } }), {
    headers: undefined,
    firstByte: undefined,
    firstEvent: undefined,
    ended: undefined,
  })
  report.recorder.started(exchange)
  return exchange
}

test('a viewer is sent what the page needs, all that is kept, and then what is new', limits, async (t) => {
  const { report, admin, tick } = await heldFeed(t)
  for (const app of ['first', 'second']) report.tell(measurement({ identity: { app } }))
  const viewer = await watch(t, admin.url)
  await viewer.has(1)
  assert.equal(viewer.headers['content-type'], 'text/event-stream; charset=utf-8')
  assert.equal(viewer.headers['cache-control'], 'no-store')
  assert.equal(viewer.openings[0]?.version, '1.2.3')
  assert.deepEqual(viewer.openings[0]?.gateways, ['main', 'spare'])
  assert.deepEqual(
    viewer.snapshots[0]?.exchanges.map(({ app }) => app),
    ['second', 'first'],
  )
  assert.equal(viewer.snapshots[0]?.models?.[0]?.model, 'a/b')
  report.tell(measurement({ identity: { app: 'third' } }))
  report.now = 3000
  begin(report, 'c/d')
  tick(250)
  await viewer.has(2)
  const news = viewer.snapshots[1]
  assert.deepEqual(
    news?.exchanges.map(({ app }) => app),
    ['third'],
  )
  assert.equal(news?.running[0]?.model, 'c/d')
  assert.equal(news?.running[0]?.elapsed, 2000, 'now - received')
  assert.equal(news?.awaiting, 1)
  assert.equal(news?.longestWait, 1999, 'now - dispatched')
})

test('the figures of a row are those of the log line', limits, async (t) => {
  const { report, admin } = await heldFeed(t)
  report.tell(measurement({ gaps: [0.01, 1.5], tokens: undefined, costUsd: 0.0123 }))
  const viewer = await watch(t, admin.url)
  await viewer.has(1)
  const [row] = viewer.snapshots[0]?.exchanges ?? []
  const [line] = report.lines as { figures: Record<string, number>; unmeasured: Record<string, string> }[]
  const names = viewer.openings[0]?.figures.map(({ name }) => name) ?? []
  const shown = Object.fromEntries(names.map((name, index) => [name, row?.figures[index]]))
  for (const name of names) assert.equal(shown[name], line?.figures[name] ?? line?.unmeasured[name] ?? null, name)
})

test('at most four snapshots a second, and one in two seconds while nothing happens', limits, async (t) => {
  const { report, admin, tick } = await heldFeed(t)
  const viewer = await watch(t, admin.url)
  await viewer.has(1)
  const exchange = begin(report, 'a/b')
  for (let quarter = 0; quarter < 20; quarter++) {
    for (let part = 0; part < 5; part++) {
      report.tell(measurement())
      tick(50)
    }
  }
  await viewer.has(21)
  assert.equal(viewer.snapshots.length, 21, 'one at once and four a second for five seconds')
  report.recorder.ended(measurement(), exchange)
  tick(10_000)
  await viewer.has(27)
  const ended = viewer.snapshots.slice(21)
  assert.equal(ended.length, 6, 'the end, then one in two seconds')
  assert.equal(ended[0]?.runningTotal, 0)
})

test('nothing is computed while nobody watches', limits, async (t) => {
  const { report, admin, looks, tick } = await heldFeed(t)
  begin(report, 'a/b')
  report.tell(measurement())
  tick(60_000)
  assert.deepEqual(looks, { running: 0, recent: 0, models: 0 })
  const viewer = await watch(t, admin.url)
  await viewer.has(1)
  const once = { ...looks }
  tick(250)
  await viewer.has(2)
  assert.equal(looks.running, once.running + 1)
  viewer.leave()
  await viewer.ended()
  // The service learns of it in a turn of its own.
  for (let before = -1; before !== looks.running; await turn()) {
    before = looks.running
    for (let turns = 0; turns < 20; turns++) await turn()
    tick(250)
  }
  const after = { ...looks }
  tick(60_000)
  assert.deepEqual(looks, after)
})

test('fifty viewers see the same, made once', limits, async (t) => {
  const { report, admin, looks, tick } = await heldFeed(t)
  begin(report, 'a/b')
  const viewers = await Promise.all(Array.from({ length: 50 }, () => watch(t, admin.url)))
  await Promise.all(viewers.map((viewer) => viewer.has(1)))
  const before = looks.running
  for (let round = 0; round < 10; round++) {
    report.tell(measurement())
    report.now += 250
    tick(250)
  }
  await Promise.all(viewers.map((viewer) => viewer.has(11)))
  assert.equal(looks.running, before + 10)
  const [first] = viewers
  for (const viewer of viewers) assert.deepEqual(viewer.texts.slice(2), first?.texts.slice(2))
})

test('snapshots are bounded, whatever runs and whatever it is called', manyLimits, async (t) => {
  const { report, admin, tick } = await heldFeed(t)
  const hostile = '\u0000"\\\u2028<img src=x>'.repeat(500)
  for (let index = 0; index < 600; index++) {
    report.tell(
      measurement({
        identity: { model: `${index}${hostile}`, app: hostile, path: hostile },
        error: hostile,
        chunkInstants: fullInstants(),
      }),
    )
  }
  const viewer = await watch(t, admin.url)
  await viewer.has(1)
  assert.equal(viewer.snapshots[0]?.exchanges.length, 500)
  assert.ok((viewer.sizes[1] ?? 0) < 1_000_000, `all that is kept: ${viewer.sizes[1]}`)
  for (let index = 0; index < 3000; index++) begin(report, `${index}${hostile}`)
  for (let index = 0; index < 400; index++) report.tell(measurement({ identity: { model: hostile } }))
  tick(250)
  await viewer.has(2)
  const [, crowded] = viewer.snapshots
  assert.equal(crowded?.runningTotal, 3000)
  assert.equal(crowded?.running.length, 100)
  assert.ok(crowded?.running[0]?.model.startsWith('0') && crowded.running.at(-1)?.model.startsWith('2999'), 'both ends')
  assert.equal(crowded?.exchanges.length, 60)
  assert.equal(crowded?.skipped, 340)
  assert.ok((viewer.sizes[2] ?? 0) < 200_000, `a crowded snapshot: ${viewer.sizes[2]}`)
})

test('a viewer that stops reading is dropped, the others see on', manyLimits, async (t) => {
  const { report, admin, tick } = await heldFeed(t)
  const { hostname, port } = new URL(admin.url)
  const deaf = connect(Number(port), hostname)
  t.after(() => deaf.destroy())
  let dropped = false
  deaf.on('close', () => {
    dropped = true
  })
  deaf.on('error', () => {})
  deaf.write(`GET /live HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
  await new Promise((resolve) => deaf.once('readable', resolve))
  deaf.removeAllListeners('readable')
  deaf.pause()
  const viewer = await watch(t, admin.url)
  for (let index = 0; index < 100; index++) begin(report, `model ${index}`)
  let sent = 1
  while (!dropped) {
    for (let index = 0; index < 60; index++) report.tell(measurement({ chunkInstants: fullInstants() }))
    tick(250)
    await viewer.has(++sent)
    // A socket that is not read does not tell that it was closed: writing to it does.
    deaf.write('\r\n')
  }
  tick(250)
  await viewer.has(sent + 1)
  assert.equal(viewer.gone, false)
})

test('closing the service ends every viewer', limits, async (t) => {
  const { admin } = await heldFeed(t)
  const viewers = await Promise.all([watch(t, admin.url), watch(t, admin.url)])
  await admin.close()
  await Promise.all(viewers.map((viewer) => viewer.ended()))
})

test('more viewers than there is room for are asked to come later', limits, async (t) => {
  const { admin } = await heldFeed(t)
  const viewers = await Promise.all(Array.from({ length: 200 }, () => watch(t, admin.url)))
  assert.ok(viewers.every(({ status }) => status === 200))
  assert.equal((await watch(t, admin.url)).status, 503)
})

/** As many instants and stalls as are ever kept. */
function fullInstants(): ChunkInstants {
  const instants = new ChunkInstants(0)
  for (let chunk = 0; chunk < 300; chunk++) {
    instants.add(1234 * chunk)
    instants.gap(1234 * chunk, 1234 * chunk + 1200)
  }
  return instants
}
