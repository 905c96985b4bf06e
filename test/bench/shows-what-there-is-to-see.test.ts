import assert from 'node:assert/strict'
import { test } from 'node:test'
import { htmlReport } from '../../src/bench/html-report.ts'
import { loadCurves } from '../../src/bench/load-levels.ts'
import { reportOf } from '../../src/bench/report.ts'
import { markdownReport, textReport } from '../../src/bench/text-report.ts'
import { measured } from '../helpers/bench.ts'
import { simulatedGateway } from '../helpers/simulated-gateway.ts'

const quick = { ttftMs: 15, tokens: 40, tokensPerSecond: 800 }

test('the cold run stands apart, and is not among the kept ones', async (t) => {
  const { url } = await simulatedGateway(t)
  const run = await measured({
    targets: [{ baseUrl: url, models: ['sim/fast'], body: { sim: quick } }],
    runs: 8,
    promptMode: 'uncached',
  })
  const { cells, sections } = reportOf(run)
  assert.equal(cells.length, 1)
  assert.deepEqual([cells[0]?.cold.length, cells[0]?.kept.length], [1, 7])
  const text = textReport(sections)
  assert.match(text, /^The cold run$/m)
  assert.match(text, /sim\/fast .* 7 +0 +[\d.]+ ms \[[\d.]+, [\d.]+\]/)
})

test('a buffered stream has no rate, and a warning says so', async (t) => {
  const { url } = await simulatedGateway(t)
  const target = { baseUrl: url, models: ['sim/fast'], body: { sim: { ...quick, buffered: true } } }
  const run = await measured({ targets: [target], runs: 3, promptMode: 'uncached' })
  assert.equal(run.preflight[0]?.buffered, true)
  assert.ok(
    run.exchanges.every(
      ({ buffered, unmeasured }) => buffered && unmeasured['output_tokens_per_second'] === 'buffered',
    ),
  )
  const text = textReport(reportOf(run).sections)
  assert.match(text, /2 of 2 runs came buffered/)
  assert.match(text, /buffered: something held the stream back and let it go at once/)
})

test('events that hold several tokens are told', async (t) => {
  const { url } = await simulatedGateway(t)
  const target = { baseUrl: url, models: ['sim/fast'], body: { sim: { ...quick, tokensPerEvent: 4 } } }
  const run = await measured({ targets: [target], runs: 3, promptMode: 'uncached' })
  assert.deepEqual(
    run.exchanges.map(({ tokensPerEvent }) => tokensPerEvent),
    [4, 4, 4],
  )
  assert.match(textReport(reportOf(run).sections), /events hold several tokens each/)
})

test('cumulative usage is noticed where it comes', async (t) => {
  const { url } = await simulatedGateway(t)
  const body = { sim: quick, stream_options: { include_usage: true, continuous_usage_stats: true } }
  const run = await measured({
    targets: [{ baseUrl: url, models: ['sim/fast'], body }],
    runs: 2,
    promptMode: 'uncached',
  })
  assert.equal(run.preflight[0]?.cumulativeUsage, true)
})

test('an uncached run that hits a cache is warned of, and a cached one that does not', async (t) => {
  const { url } = await simulatedGateway(t)
  const target = { baseUrl: url, models: ['sim/fast'] }
  const hit = await measured({
    targets: [{ ...target, body: { sim: { ...quick, cachedTokens: 5 } } }],
    runs: 3,
    promptMode: 'uncached',
  })
  assert.match(textReport(reportOf(hit).sections), /2 of 2 runs hit a cache although the prompt was new/)
  const miss = await measured({
    targets: [{ ...target, body: { sim: { ...quick, cachedTokens: 0 } } }],
    runs: 3,
    promptMode: 'cached',
  })
  assert.match(textReport(reportOf(miss).sections), /the repeated prompt never hit the cache/)
})

test('a run that waited for a new connection is told', async (t) => {
  const { url } = await simulatedGateway(t)
  const run = await measured({
    targets: [{ baseUrl: url, models: ['sim/fast'], body: { sim: quick } }],
    runs: 3,
    promptMode: 'uncached',
  })
  const slow = run.exchanges.map((exchange) => ({
    ...exchange,
    figures: { ...exchange.figures, connection_wait_seconds: 0.08, time_to_first_token_seconds: 0.2 },
  }))
  assert.match(textReport(reportOf({ ...run, exchanges: slow }).sections), /2 of 2 runs waited for a new connection/)
})

test('a cost is told where a price is known', async (t) => {
  const { url } = await simulatedGateway(t)
  const prices = { 'sim/fast': { input: 1, output: 10 } }
  const run = await measured({
    targets: [{ baseUrl: url, models: ['sim/fast'], prices, body: { sim: quick } }],
    runs: 3,
    promptMode: 'uncached',
  })
  for (const { costUsd, tokens } of run.exchanges) {
    assert.equal(costUsd, ((tokens?.input ?? 0) + 10 * (tokens?.output ?? 0)) / 1e6)
  }
  assert.match(textReport(reportOf(run, 'batch').sections), /\$[\d.]+ a million generated tokens/)
})

test('more streams at once: rates fall, throughput stands, the knee is found', async (t) => {
  const { url } = await simulatedGateway(t)
  const run = await measured({
    targets: [{ baseUrl: url, models: ['sim/loaded'] }],
    runs: 4,
    maxTokens: 40,
    promptMode: 'uncached',
    concurrency: [1, 4],
  })
  const { cells } = reportOf(run)
  const [curve] = loadCurves(cells)
  const rates = curve?.levels.map(({ cell }) => cell.figures.get('output_tokens_per_second')?.median ?? 0) ?? []
  assert.equal(rates.length, 2)
  // 160 tok/s are shared by the streams that run when one begins; on a busy machine the simulator itself is slower than that.
  assert.ok((rates[0] as number) > 1.5 * (rates[1] as number), String(rates))
  assert.equal(curve?.knee?.load, 1)
  const level = cells.filter(({ load }) => load.kind === 'closed' && load.concurrency === 4)
  assert.equal(level[0]?.kept.length, 8)
  assert.ok((level[0]?.leftOut.get('ramp') ?? 0) > 0)
})

test('an open loop is measured from the scheduled instant, and tells how late it was', async (t) => {
  const { url } = await simulatedGateway(t)
  const run = await measured({
    targets: [{ baseUrl: url, models: ['sim/fast'], body: { sim: quick } }],
    runs: 2,
    promptMode: 'uncached',
    rate: { perSecond: [40], arrivals: 'constant', requests: 20 },
  })
  const open = run.exchanges.filter(({ load }) => load.kind === 'open')
  assert.equal(open.length, 20)
  for (const { figures, marks, lagMs } of open) {
    assert.ok(lagMs !== null && lagMs >= 0)
    const fromSchedule = (marks['firstToken'] ?? 0) / 1000
    assert.ok(Math.abs((figures['time_to_first_token_seconds'] ?? 0) - fromSchedule) < 1e-5)
    assert.ok(Math.abs((marks['dispatched'] ?? 0) - lagMs) < 0.01)
  }
  assert.equal(run.selfCheck.longestLagMs, Math.max(...open.map(({ lagMs }) => lagMs ?? 0)))
  assert.match(textReport(reportOf(run).sections), /Arrivals: sim\/fast/)
})

test('a rate with too many streams at once is given up', async (t) => {
  const { url } = await simulatedGateway(t)
  const run = await measured({
    targets: [{ baseUrl: url, models: ['sim/fast'], body: { sim: { ...quick, ttftMs: 300 } } }],
    runs: 2,
    promptMode: 'uncached',
    rate: { perSecond: [100], arrivals: 'constant', requests: 40, mostInFlight: 5 },
  })
  assert.ok(run.givenUp.length > 0)
  assert.match(textReport(reportOf(run).sections), /100\/s was given up/)
})

test('the four APIs are measured alike', async (t) => {
  const { url } = await simulatedGateway(t)
  const operations = ['chat', 'completions', 'responses', 'messages'] as const
  const targets = operations.map((operation) => ({
    name: operation,
    baseUrl: url,
    models: ['sim/fast'],
    operation,
    body: { sim: quick },
  }))
  const run = await measured({ targets, runs: 2, promptMode: 'uncached' })
  assert.equal(run.exchanges.length, 8)
  for (const { outcome, tokens, figures, target } of run.exchanges) {
    assert.deepEqual([outcome, tokens?.output], ['ok', 40], target)
    assert.ok(figures['time_to_first_token_seconds'] !== undefined, target)
  }
})

test('reports hold no markup from outside, and the page loads nothing', async (t) => {
  const { url } = await simulatedGateway(t)
  const model = 'sim/fast:<img src=x onerror=alert(1)>|`'
  const run = await measured({
    targets: [{ baseUrl: url, models: [model], body: { sim: quick } }],
    runs: 7,
    promptMode: 'uncached',
    concurrency: [1, 2],
  })
  const report = reportOf(run, 'interactive')
  const page = htmlReport(run, report)
  assert.ok(!page.includes('<img') && page.includes('&lt;img'))
  assert.doesNotMatch(page, /<script|<link|\b(src|href)="|url\(|@import/)
  assert.match(page, /default-src 'none'/)
  assert.ok((page.match(/<svg /g)?.length ?? 0) >= 6)
  const markdown = markdownReport(report.sections)
  assert.doesNotMatch(markdown, /[^\\]<img/)
  assert.ok(markdown.includes('\\|\\`'))
})
