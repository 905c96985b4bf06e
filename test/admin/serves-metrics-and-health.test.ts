import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, startTestAdmin } from '../helpers/admin.ts'
import { readExposition } from '../helpers/exposition.ts'
import { measurement } from '../helpers/measurement.ts'
import { createTestReport } from '../helpers/report.ts'

const ofPrometheus =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'

test('the format is chosen by Accept', async (t) => {
  const report = createTestReport(t)
  report.tell(measurement())
  const { url } = await startTestAdmin(t, report)
  for (const [accept, openmetrics] of [
    [ofPrometheus, true],
    ['application/openmetrics-text; version=1.0.0; escaping=allow-utf-8; q=0.6, text/plain;version=0.0.4;q=0.5', true],
    ['application/openmetrics-text', true],
    ['application/openmetrics-text;version=2.0.0,text/plain;q=0.1', false],
    ['application/openmetrics-text;q=0.1,text/plain;version=0.0.4;q=0.5', false],
    ['application/openmetrics-text;q=0', false],
    ['text/html,application/xhtml+xml,*/*;q=0.8', false],
    ['application/json', false],
    ['', false],
    [',;;q=x,', false],
  ] as const) {
    const answer = await ask(`${url}/metrics`, { headers: { accept } })
    assert.equal(answer.status, 200)
    assert.equal(
      answer.headers['content-type'],
      openmetrics
        ? 'application/openmetrics-text; version=1.0.0; charset=utf-8'
        : 'text/plain; version=0.0.4; charset=utf-8',
      accept,
    )
    assert.equal(answer.headers['vary'], 'accept')
    readExposition(answer.body, openmetrics ? 'openmetrics' : 'text')
  }
})

test('HEAD has the headers and renders nothing', async (t) => {
  let rendered = 0
  const report = createTestReport(t)
  const metrics = {
    async *slices() {
      rendered++
      yield ''
    },
  }
  const { url } = await startTestAdmin(t, report, { metrics })
  const answer = await ask(`${url}/metrics`, { method: 'HEAD', headers: { accept: ofPrometheus } })
  assert.equal(answer.status, 200)
  assert.match(String(answer.headers['content-type']), /^application\/openmetrics-text/)
  assert.equal(answer.body, '')
  assert.equal(rendered, 0)
})

test('a scraper that leaves half-way ends its scrape', async (t) => {
  const report = createTestReport(t)
  let closed: (() => void) | undefined
  const ended = new Promise<void>((resolve) => {
    closed = resolve
  })
  const metrics = {
    async *slices() {
      try {
        for (;;) yield 'x'.repeat(65_536)
      } finally {
        closed?.()
      }
    },
  }
  const { url } = await startTestAdmin(t, report, { metrics })
  const leave = new AbortController()
  const answer = await fetch(`${url}/metrics`, { signal: leave.signal })
  assert.equal(answer.status, 200)
  leave.abort()
  await ended
})

test('healthy while it serves, ready until it drains', async (t) => {
  let ready = true
  const { url } = await startTestAdmin(t, createTestReport(t), { ready: () => ready })
  assert.deepEqual(JSON.parse((await ask(`${url}/readyz`)).body), { status: 'ready' })
  ready = false
  const draining = await ask(`${url}/readyz`)
  assert.equal(draining.status, 503)
  assert.deepEqual(JSON.parse(draining.body), { status: 'draining' })
  assert.equal((await ask(`${url}/healthz`)).status, 200)
  assert.equal((await ask(`${url}/healthz`, { method: 'HEAD' })).status, 200)
})

test('unknown paths and methods are told in JSON', async (t) => {
  const { url } = await startTestAdmin(t, createTestReport(t))
  const unknown = await ask(`${url}/v1/chat/completions`, { method: 'POST' })
  assert.equal(unknown.status, 404)
  assert.equal(JSON.parse(unknown.body).error.code, 'not_found')
  for (const path of ['/metrics', '/healthz', '/', '/readyz?x=1']) {
    const answer = await ask(url + path, { method: 'DELETE' })
    assert.equal(answer.status, 405, path)
    assert.equal(answer.headers['allow'], 'GET, HEAD')
    assert.equal(JSON.parse(answer.body).error.code, 'method_not_allowed')
  }
  const malformed = await ask(`${url}/%zz`)
  assert.ok(malformed.status === 400 || malformed.status === 404)
  assert.ok(JSON.parse(malformed.body).error.message)
})

test('two replicas are scraped independently', async (t) => {
  const one = createTestReport(t)
  const another = createTestReport(t)
  const admins = [await startTestAdmin(t, one), await startTestAdmin(t, another)] as const
  one.tell(measurement())
  const texts = await Promise.all(admins.map(async ({ url }) => (await ask(`${url}/metrics`)).body))
  const requests = texts.map(
    (text) => /^streamgauge_requests_total\{.*model="a\/b".*outcome="ok".*\} (\d+)$/m.exec(text)?.[1],
  )
  assert.deepEqual(requests[1], undefined)
  assert.ok(texts[0]?.includes('model="a/b"'))
})

test('it can be started again on its port after it was closed, with counters at zero', async (t) => {
  const report = createTestReport(t)
  report.tell(measurement())
  const first = await startTestAdmin(t, report)
  const port = Number(new URL(first.url).port)
  await ask(`${first.url}/metrics`)
  await first.close()
  const second = await startTestAdmin(t, createTestReport(t), { port })
  assert.equal(second.url, first.url)
  assert.ok(!(await ask(`${second.url}/metrics`)).body.includes('model="a/b"'))
})

test('a port that is taken is refused', async (t) => {
  const report = createTestReport(t)
  const { url } = await startTestAdmin(t, report)
  await assert.rejects(startTestAdmin(t, report, { port: Number(new URL(url).port) }), { code: 'EADDRINUSE' })
})
