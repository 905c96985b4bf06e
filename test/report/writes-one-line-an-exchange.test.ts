import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createExchangeLog } from '../../src/report/exchange-log.ts'
import { measurement, passedThrough, runningExchange, withoutOutput } from '../helpers/measurement.ts'
import { createTestReport } from '../helpers/report.ts'

const fields = [
  'level',
  'time',
  'msg',
  'id',
  'trace_id',
  'gateway_request_id',
  'started_at',
  'gateway',
  'operation',
  'app',
  'model',
  'served_model',
  'provider',
  'method',
  'path',
  'status',
  'streamed',
  'outcome',
  'error',
  'finish_reason',
  'cache',
  'cache_hints',
  'marks',
  'output',
  'tokens',
  'figures',
  'unmeasured',
  'flags',
  'uncertainty_ms',
  'cost_usd',
]

test('a stream that went well has the contract’s fields in their order', (t) => {
  const report = createTestReport(t)
  report.tell(
    measurement({
      identity: {
        id: 'x-1',
        traceId: '0af7651916cd43dd8448eb211c80319c',
        app: 'checkout',
        cacheHints: { cacheControl: 2, promptCacheKey: true },
      },
      gatewayRequestId: 'gen-1',
      provider: 'Azure',
      marks: { received: 1000.1234567 },
      tokens: { input: 194, cachedInput: 128, cacheWriteInput: undefined, output: 101, reasoning: 0 },
      cache: 'hit',
      uncertaintyMs: 0.31234,
      costUsd: 0.0001,
    }),
  )
  const line = report.lines[0] as Record<string, unknown>
  assert.deepEqual(Object.keys(line), fields)
  const { time, ...rest } = line
  assert.ok(typeof time === 'number' && time > 1_700_000_000_000)
  assert.deepEqual(rest, {
    level: 30,
    msg: 'exchange',
    id: 'x-1',
    trace_id: '0af7651916cd43dd8448eb211c80319c',
    gateway_request_id: 'gen-1',
    started_at: new Date(1_796_000_000_000).toISOString(),
    gateway: 'main',
    operation: 'chat',
    app: 'checkout',
    model: 'a/b',
    served_model: 'a/b-2026',
    provider: 'Azure',
    method: 'POST',
    path: '/v1/chat/completions',
    status: 200,
    streamed: true,
    outcome: 'ok',
    error: null,
    finish_reason: 'stop',
    cache: 'hit',
    cache_hints: { cache_control: 2, prompt_cache_key: true },
    marks: {
      received: 0,
      body_received: 0.377,
      dispatched: 0.877,
      sent: 1.877,
      headers: 399.877,
      first_byte: 400.877,
      first_event: 400.877,
      first_reasoning: null,
      first_answer: 500.877,
      first_token: 500.877,
      last_token: 2500.877,
      ended: 2509.877,
    },
    output: {
      events: 100,
      chunks: 100,
      bytes: 30_211,
      content_chars: 400,
      reasoning_chars: 0,
      tool_chars: 0,
      comments: 0,
      invalid_events: 0,
      end_seen: true,
    },
    tokens: { input: 194, cached_input: 128, cache_write_input: null, output: 101, reasoning: 0 },
    figures: {
      time_to_first_token_seconds: 0.5,
      time_to_first_answer_seconds: 0.5,
      time_to_first_byte_seconds: 0.4,
      time_to_headers_seconds: 0.399,
      connection_wait_seconds: 0.001,
      request_upload_seconds: 0.000377,
      proxy_overhead_seconds: 0.001,
      mark_uncertainty_seconds: 0.000312,
      time_per_output_token_seconds: 0.02,
      output_tokens_per_second: 50,
      output_chars_per_second: 198,
      output_events_per_second: 49.5,
      blended_tokens_per_second: 40.4,
      longest_stall_seconds: 0.020202,
      burstiness: 0,
      request_duration_seconds: 2.509,
    },
    unmeasured: {},
    flags: [],
    uncertainty_ms: 0.312,
    cost_usd: 0.0001,
  })
})

test('what did not happen or is not known is null, and a missing figure has its reason', (t) => {
  const report = createTestReport(t)
  const { marks, ...nothing } = withoutOutput
  report.tell(
    measurement({
      ...nothing,
      marks: { ...marks, headers: undefined, firstByte: undefined, firstEvent: undefined, sent: undefined },
      status: 502,
      answered: false,
      outcome: 'gateway_error',
      error: 'ECONNREFUSED',
      uncertaintyMs: undefined,
    }),
  )
  const line = report.lines[0] as Record<string, unknown>
  assert.deepEqual(Object.keys(line), fields)
  assert.equal(line['error'], 'ECONNREFUSED')
  assert.equal(line['tokens'], null)
  assert.equal(line['cost_usd'], null)
  assert.equal(line['uncertainty_ms'], null)
  assert.equal(line['served_model'], null)
  assert.equal((line['marks'] as Record<string, unknown>)['first_token'], null)
  assert.equal((line['unmeasured'] as Record<string, unknown>)['time_to_first_token_seconds'], 'error')
  assert.deepEqual(line['cache_hints'], {})
})

test('what is passed through has the times and the bytes', (t) => {
  const report = createTestReport(t)
  report.tell(passedThrough())
  const line = report.lines[0] as Record<string, unknown>
  assert.deepEqual(Object.keys(line), fields)
  assert.equal(line['operation'], null)
  assert.equal(line['model'], null)
  assert.equal(line['cache'], null)
  assert.deepEqual(line['figures'], {
    time_to_headers_seconds: 0.399,
    time_to_first_byte_seconds: 0.4,
    connection_wait_seconds: 0.001,
    request_duration_seconds: 2.509,
  })
  assert.deepEqual(line['unmeasured'], {})
  const { bytes, ...counts } = line['output'] as Record<string, unknown>
  assert.equal(bytes, 30_211)
  assert.deepEqual(new Set(Object.values(counts)), new Set([null]))
})

test('an answer that could not be decoded has no counts but its bytes', (t) => {
  const report = createTestReport(t)
  const { marks, ...nothing } = withoutOutput
  report.tell(measurement({ ...nothing, marks, decoding: 'not_decoded' }))
  const output = (report.lines[0] as Record<string, unknown>)['output'] as Record<string, unknown>
  assert.equal(output['bytes'], 30_211)
  assert.equal(output['events'], null)
  assert.deepEqual(report.lines[0]?.['flags'], ['not_decoded'])
})

test('names from outside stay in one line and are bounded', () => {
  const written: string[] = []
  const log = createExchangeLog({ write: (line) => written.push(line) })
  const hostile = `\n{"level":60}\u0000\ud800"\u2028${'x'.repeat(100_000)}`
  const m = measurement({
    identity: { model: hostile, app: hostile, gateway: hostile, path: hostile, method: hostile },
    servedModel: hostile,
    provider: hostile,
    finishReason: hostile,
    gatewayRequestId: hostile,
    error: hostile,
  })
  log.ended(m, runningExchange(m))
  assert.equal(written.length, 1)
  assert.ok(written[0]?.endsWith('\n'))
  assert.equal(written[0]?.indexOf('\n'), (written[0]?.length ?? 0) - 1)
  assert.ok((written[0]?.length ?? 0) < 10_000)
  assert.ok((JSON.parse(written[0] as string).model as string).startsWith('\n{"level":60}'))
})

test('only named fields are written, whatever else the record holds', (t) => {
  const report = createTestReport(t)
  const m = measurement()
  report.tell({
    ...m,
    identity: { ...m.identity, ...{ authorization: 'Bearer sk-secret' } },
    output: { ...m.output, ...{ text: 'sk-secret' } },
    ...{ prompt: 'sk-secret' },
  })
  assert.ok(!JSON.stringify(report.lines).includes('sk-secret'))
})

test('it can be switched off', (t) => {
  const report = createTestReport(t, { log: { exchanges: false } })
  report.tell(measurement())
  assert.deepEqual(report.lines, [])
})
