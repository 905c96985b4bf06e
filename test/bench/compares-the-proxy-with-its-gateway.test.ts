import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differences } from '../../src/bench/differences.ts'
import { reportOf } from '../../src/bench/report.ts'
import { textReport } from '../../src/bench/text-report.ts'
import { measured, median } from '../helpers/bench.ts'
import { startProxy } from '../helpers/proxy-under-test.ts'
import { simulatedGateway } from '../helpers/simulated-gateway.ts'

const figures = [
  'time_to_first_token_seconds',
  'time_to_first_answer_seconds',
  'time_per_output_token_seconds',
  'output_tokens_per_second',
  'output_chars_per_second',
  'output_events_per_second',
]

test('through the proxy and directly, interleaved: the difference has an interval, and both tell the same of each exchange', async (t) => {
  const simulator = await simulatedGateway(t)
  const proxy = await startProxy(t, simulator.url)
  const sim = { ttftMs: 60, tokens: 60, tokensPerSecond: 300 }
  const run = await measured({
    targets: [
      { name: 'direct', baseUrl: simulator.url, models: ['sim/fast'], body: { sim } },
      { name: 'proxy', baseUrl: `${proxy.url}/v1`, models: ['sim/fast'], body: { sim } },
    ],
    runs: 16,
    promptMode: 'uncached',
  })
  const { cells, sections } = reportOf(run)
  const costs = differences(cells)
  const cost = costs.find(({ figure }) => figure.name === 'time_to_first_token_seconds')
  assert.deepEqual([cost?.from, cost?.to, cost?.pairs], ['direct', 'proxy', 15])
  assert.ok(cost?.interval && cost.interval.low <= cost.median && cost.median <= cost.interval.high)
  assert.match(textReport(sections), /proxy − direct +TTFT +15 +-?[\d.]+ [mµ]?s \[-?[\d.]+, -?[\d.]+\]/)

  // The proxy's log, exchange by exchange. It is nearer to the gateway: what it tells cannot be later than what the bench saw.
  const logged = new Map(proxy.log.map((line) => [line['gateway_request_id'], line]))
  const through = run.exchanges.filter(({ target }) => target === 'proxy')
  const apart: number[] = []
  for (const exchange of through) {
    const line = logged.get(exchange.gatewayRequestId)
    assert.ok(line, 'the proxy knows each exchange of the bench')
    const said = line['figures'] as Record<string, number>
    assert.deepEqual(line['tokens'], {
      input: exchange.tokens?.input,
      cached_input: exchange.tokens?.cachedInput,
      cache_write_input: exchange.tokens?.cacheWriteInput,
      output: exchange.tokens?.output,
      reasoning: exchange.tokens?.reasoning,
    })
    assert.deepEqual(
      [line['outcome'], line['finish_reason'], line['unmeasured']],
      [exchange.outcome, exchange.finishReason, exchange.unmeasured],
    )
    assert.deepEqual(
      figures.filter((name) => said[name] !== undefined),
      figures.filter((name) => exchange.figures[name] !== undefined),
    )
    apart.push(
      ((exchange.figures['time_to_first_token_seconds'] ?? 0) - (said['time_to_first_token_seconds'] ?? 0)) * 1000,
    )
  }
  const sorted = apart.toSorted((a, b) => a - b)
  t.diagnostic(
    `the proxy costs ${((cost.median ?? 0) * 1000).toFixed(2)} ms [${(cost.interval.low * 1000).toFixed(2)}, ${(cost.interval.high * 1000).toFixed(2)}] of TTFT`,
  )
  t.diagnostic(
    `TTFT of the bench minus TTFT in the proxy's log: median ${median(sorted)?.toFixed(2)} ms, p95 ${sorted.at(Math.ceil(0.95 * sorted.length) - 1)?.toFixed(2)} ms`,
  )
  // Marks of both are rounded to a microsecond in the log.
  assert.ok((sorted[0] as number) > -0.1, String(sorted))
})
