import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumIn, valueIn } from '../helpers/exposition.ts'
import { measurement, passedThrough, runningExchange, withoutOutput } from '../helpers/measurement.ts'
import { createTestReport } from '../helpers/report.ts'

const set = { gateway: 'main', model: 'a/b', operation: 'chat', app: '' }
const operation = { gateway: 'main', model: 'a/b', operation: 'chat' }
const model = { gateway: 'main', model: 'a/b' }

test('a plain stream feeds every figure it has', async (t) => {
  const report = createTestReport(t)
  report.tell(measurement())
  const text = await report.scrape()
  const sum = (name: string, labels: Record<string, string>) => valueIn(text, `streamgauge_${name}_sum`, labels)
  const count = (name: string, labels: Record<string, string>) => valueIn(text, `streamgauge_${name}_count`, labels)
  assert.equal(sum('time_to_first_token_seconds', set), 0.5)
  assert.equal(sum('output_tokens_per_second', set), 50)
  assert.equal(sum('time_to_first_answer_seconds', operation), 0.5)
  assert.equal(sum('time_to_first_byte_seconds', operation), 0.4)
  assert.equal(sum('time_to_headers_seconds', operation), 0.399)
  assert.equal(sum('time_per_output_token_seconds', operation), 0.02)
  assert.equal(sum('output_chars_per_second', operation), 198)
  assert.equal(sum('longest_stall_seconds', operation), 2 / 99)
  assert.equal(sum('request_duration_seconds', { ...operation, streamed: 'true', result: 'ok' }), 2.509)
  assert.equal(sum('connection_wait_seconds', { gateway: 'main' }), 0.001)
  assert.equal(sum('proxy_overhead_seconds', { gateway: 'main' }), 0.001)
  assert.equal(sum('mark_uncertainty_seconds', { gateway: 'main' }), 0.00025)
  assert.equal(count('inter_chunk_seconds', model), 99)
  assert.equal(sum('time_to_first_token_by_cache_seconds', { ...model, cache: 'unknown' }), 0.5)
  assert.equal(sum('output_tokens_per_second_by_concurrency', { ...model, concurrency: '1' }), 50)
  assert.equal(count('abandoned_wait_seconds', operation), 0)
  assert.equal(valueIn(text, 'streamgauge_requests_total', { ...set, streamed: 'true', outcome: 'ok' }), 1)
  assert.equal(sumIn(text, 'streamgauge_requests_total', { model: 'a/b' }), 1)
  assert.equal(valueIn(text, 'streamgauge_streams_started_total', set), 1)
  assert.equal(valueIn(text, 'streamgauge_decode_tokens_total', model), 100)
  assert.equal(valueIn(text, 'streamgauge_decode_seconds_total', model), 2)
  assert.equal(valueIn(text, 'streamgauge_served_by_total', { ...model, served_model: 'a/b-2026', provider: '' }), 1)
  assert.equal(sumIn(text, 'streamgauge_unmeasured_total'), 0)
  assert.equal(valueIn(text, 'streamgauge_build_info', { version: '1.2.3' }), 1)
  assert.equal(sumIn(text, 'streamgauge_definitions_info'), 1)
})

test('the time to the first token stands in the histogram before the stream has ended, and only once', async (t) => {
  const report = createTestReport(t)
  const m = measurement()
  const exchange = runningExchange(m, { ended: undefined, lastToken: undefined })
  report.recorder.started(exchange)
  report.recorder.firstToken(exchange)
  assert.equal(valueIn(await report.scrape(), 'streamgauge_time_to_first_token_seconds_count', set), 1)
  report.recorder.ended(m, exchange)
  assert.equal(valueIn(await report.scrape(), 'streamgauge_time_to_first_token_seconds_count', set), 1)
})

test('a first token that nobody told of while the stream ran is counted at its end', async (t) => {
  const report = createTestReport(t)
  const m = measurement()
  const exchange = runningExchange(m)
  report.recorder.started(exchange)
  report.recorder.ended(m, exchange)
  assert.equal(valueIn(await report.scrape(), 'streamgauge_time_to_first_token_seconds_count', set), 1)
})

test('counters of every outcome are zero from the start of the first request', async (t) => {
  const report = createTestReport(t)
  report.recorder.started(runningExchange(measurement()))
  const text = await report.scrape()
  for (const outcome of ['ok', 'client_abort', 'gateway_error', 'rate_limited', 'http_5xx', 'shutdown']) {
    for (const streamed of ['true', 'false']) {
      assert.equal(valueIn(text, 'streamgauge_requests_total', { ...set, streamed, outcome }), 0)
    }
  }
  for (const name of ['stalls', 'stall_seconds', 'buffered_streams', 'backpressure_seconds', 'resends']) {
    assert.equal(valueIn(text, `streamgauge_${name}_total`, model), 0, name)
  }
  assert.equal(valueIn(text, 'streamgauge_cost_usd_total', { ...model, app: '' }), 0)
  assert.equal(valueIn(text, 'streamgauge_tokens_total', { ...model, app: '', type: 'reasoning' }), 0)
  assert.equal(valueIn(text, 'streamgauge_cache_hints_total', { ...model, hint: 'cache_control', cache: 'hit' }), 0)
  assert.equal(valueIn(text, 'streamgauge_time_to_first_token_seconds_count', set), 0)
})

test('every pair of figure and reason is born at zero, and every stage and label', async (t) => {
  const text = await createTestReport(t).scrape()
  assert.equal(
    valueIn(text, 'streamgauge_unmeasured_total', { figure: 'output_tokens_per_second', reason: 'no_usage' }),
    0,
  )
  for (const stage of ['framing', 'json', 'decode', 'skipped', 'observer']) {
    assert.equal(valueIn(text, 'streamgauge_measurement_errors_total', { stage }), 0)
  }
  for (const label of ['model', 'app', 'served_model', 'provider', 'set']) {
    assert.equal(valueIn(text, 'streamgauge_label_overflow_total', { label }), 0)
  }
})

test('tokens, cost, cache hints, stalls, pauses and resends are counted', async (t) => {
  const report = createTestReport(t)
  report.tell(
    measurement({
      identity: { app: 'checkout', cacheHints: { cacheControl: 3, promptCacheKey: true } },
      tokens: { input: 194, cachedInput: 128, cacheWriteInput: 5, output: 101, reasoning: 0 },
      cache: 'hit',
      costUsd: 0.125,
      provider: 'Azure',
      gaps: [0.5, 1.5, 2.5],
      pausedMs: 250,
      resends: 1,
      measurementErrors: ['json', 'skipped'],
    }),
  )
  const text = await report.scrape()
  const token = (type: string) => valueIn(text, 'streamgauge_tokens_total', { ...model, app: 'checkout', type })
  assert.deepEqual(
    ['input', 'cached_input', 'cache_write_input', 'output', 'reasoning'].map(token),
    [194, 128, 5, 101, 0],
  )
  assert.equal(valueIn(text, 'streamgauge_cost_usd_total', { ...model, app: 'checkout' }), 0.125)
  assert.equal(valueIn(text, 'streamgauge_cache_hints_total', { hint: 'cache_control', cache: 'hit' }), 1)
  assert.equal(valueIn(text, 'streamgauge_cache_hints_total', { hint: 'prompt_cache_key', cache: 'hit' }), 1)
  assert.equal(sumIn(text, 'streamgauge_cache_hints_total'), 2)
  assert.equal(valueIn(text, 'streamgauge_stalls_total', model), 2)
  assert.equal(valueIn(text, 'streamgauge_stall_seconds_total', model), 4)
  assert.equal(valueIn(text, 'streamgauge_backpressure_seconds_total', model), 0.25)
  assert.equal(valueIn(text, 'streamgauge_resends_total', model), 1)
  assert.equal(valueIn(text, 'streamgauge_served_by_total', { served_model: 'a/b-2026', provider: 'Azure' }), 1)
  assert.equal(valueIn(text, 'streamgauge_measurement_errors_total', { stage: 'json' }), 1)
  assert.equal(valueIn(text, 'streamgauge_measurement_errors_total', { stage: 'skipped' }), 1)
  assert.equal(valueIn(text, 'streamgauge_time_to_first_token_by_cache_seconds_count', { cache: 'hit' }), 1)
})

test('fleet counters take exactly the exchanges with a time per output token', async (t) => {
  const report = createTestReport(t)
  report.tell(measurement())
  report.tell(measurement({ tokens: undefined }))
  report.tell(measurement({ outcome: 'truncated' }))
  const text = await report.scrape()
  assert.equal(valueIn(text, 'streamgauge_decode_tokens_total', model), 100)
  assert.equal(valueIn(text, 'streamgauge_decode_seconds_total', model), 2)
  assert.equal(valueIn(text, 'streamgauge_time_per_output_token_seconds_count', operation), 1)
  const missing = (reason: string) =>
    valueIn(text, 'streamgauge_unmeasured_total', { figure: 'time_per_output_token_seconds', reason })
  assert.equal(missing('no_usage'), 1)
  assert.equal(missing('incomplete'), 1)
})

test('a client that leaves before the first token counts as an abandoned wait', async (t) => {
  const report = createTestReport(t)
  const { marks, ...nothing } = withoutOutput
  report.tell(measurement({ ...nothing, outcome: 'client_abort', marks: { ...marks, ended: 8001 } }))
  const text = await report.scrape()
  assert.equal(valueIn(text, 'streamgauge_abandoned_wait_seconds_sum', operation), 7)
  assert.equal(valueIn(text, 'streamgauge_time_to_first_token_seconds_count', set), 0)
  const missing = { figure: 'time_to_first_token_seconds', reason: 'client_left' }
  assert.equal(valueIn(text, 'streamgauge_unmeasured_total', missing), 1)
})

test('a buffered stream is counted, one that was cut after one chunk is not', async (t) => {
  const report = createTestReport(t)
  const burst = {
    events: 100,
    chunks: 1,
    chars: 400,
    firstChunkEvents: 100,
    firstChunkChars: 400,
    firstChunkTokens: undefined,
  }
  report.tell(measurement({ output: { all: burst, answer: burst } }))
  report.tell(measurement({ output: { all: burst, answer: burst }, outcome: 'gateway_error' }))
  const text = await report.scrape()
  assert.equal(valueIn(text, 'streamgauge_buffered_streams_total', model), 1)
  assert.deepEqual(report.lines[0]?.['flags'], ['buffered'])
  assert.deepEqual(report.lines[1]?.['flags'], [])
})

test('what is not streamed is never called buffered', async (t) => {
  const report = createTestReport(t)
  const nothing = {
    events: 0,
    chunks: 0,
    chars: 0,
    firstChunkEvents: 0,
    firstChunkChars: 0,
    firstChunkTokens: undefined,
  }
  report.tell(
    measurement({
      identity: { streamAsked: false },
      streamed: false,
      marks: { firstToken: undefined, firstAnswer: undefined, lastToken: undefined, firstTokenForwarded: undefined },
      output: { all: nothing, answer: nothing, contentChars: 5000 },
      gaps: [],
      uncertaintyMs: undefined,
    }),
  )
  const text = await report.scrape()
  assert.equal(valueIn(text, 'streamgauge_buffered_streams_total', model), 0)
  assert.equal(valueIn(text, 'streamgauge_streams_started_total', set), undefined)
  assert.equal(valueIn(text, 'streamgauge_requests_total', { ...set, streamed: 'false', outcome: 'ok' }), 1)
})

test('a passed-through request has times, no model and no missing figures', async (t) => {
  const report = createTestReport(t, { gateways: ['main'] })
  assert.equal(
    valueIn(await report.scrape(), 'streamgauge_requests_total', {
      gateway: 'main',
      operation: 'passthrough',
      outcome: 'http_5xx',
    }),
    0,
  )
  report.tell(passedThrough())
  const text = await report.scrape()
  const labels = { gateway: 'main', model: '', operation: 'passthrough' }
  assert.equal(valueIn(text, 'streamgauge_requests_total', { ...labels, outcome: 'ok', streamed: 'false' }), 1)
  assert.equal(valueIn(text, 'streamgauge_time_to_headers_seconds_sum', labels), 0.399)
  assert.equal(valueIn(text, 'streamgauge_time_to_first_byte_seconds_sum', labels), 0.4)
  assert.equal(valueIn(text, 'streamgauge_request_duration_seconds_count', { ...labels, result: 'ok' }), 1)
  assert.equal(sumIn(text, 'streamgauge_unmeasured_total'), 0)
  assert.equal(sumIn(text, 'streamgauge_tokens_total'), 0)
})

test('a request refused before its gateway was known has no gateway', async (t) => {
  const report = createTestReport(t)
  report.tell(
    passedThrough({
      identity: { gateway: '' },
      status: 404,
      answered: false,
      outcome: 'rejected',
      marks: {
        dispatched: undefined,
        sent: undefined,
        headers: undefined,
        firstByte: undefined,
        firstEvent: undefined,
      },
    }),
  )
  const text = await report.scrape()
  const labels = { gateway: '', model: '', operation: 'passthrough', outcome: 'rejected', streamed: 'false' }
  assert.equal(valueIn(text, 'streamgauge_requests_total', labels), 1)
  assert.equal(sumIn(text, 'streamgauge_request_duration_seconds_count'), 1)
})

test('input size is a label where it is switched on', async (t) => {
  const labels = { maxModels: 9, maxApps: 9, maxSets: 9, inputSize: true, models: { allow: [], rename: {} } }
  const report = createTestReport(t, { labels })
  const tokens = { cachedInput: undefined, cacheWriteInput: undefined, output: 101, reasoning: undefined }
  for (const input of [0, 999, 1000, 3999, 4000, 16_000, 64_000, undefined]) {
    report.tell(measurement({ tokens: { ...tokens, input } }))
  }
  const text = await report.scrape()
  const count = (size: string) =>
    valueIn(text, 'streamgauge_time_to_first_token_by_cache_seconds_count', { input_size: size })
  assert.deepEqual(['0-1k', '1k-4k', '4k-16k', '16k-64k', '64k+', ''].map(count), [2, 2, 1, 1, 1, 1])
})

test('a rate is filed under the number of streams in flight when its own began', async (t) => {
  const report = createTestReport(t)
  const running = Array.from({ length: 40 }, () => measurement()).map((m) => ({ m, exchange: runningExchange(m) }))
  for (const { exchange } of running) report.recorder.started(exchange)
  for (const { m, exchange } of running) report.recorder.ended(m, exchange)
  const text = await report.scrape()
  const count = (concurrency: string) =>
    valueIn(text, 'streamgauge_output_tokens_per_second_by_concurrency_count', { concurrency })
  assert.deepEqual(['1', '2-3', '4-7', '8-15', '16-31', '32+'].map(count), [1, 2, 4, 8, 16, 9])
})
