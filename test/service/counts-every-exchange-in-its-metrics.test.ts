import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figures } from '../../src/measurement/figures.ts'
import { outcomes } from '../../src/measurement/outcomes.ts'
import { reasons } from '../../src/measurement/reasons.ts'
import { completion, done, ending, finish, role, say, think, usage, usageOf } from '../helpers/chat-events.ts'
import { readExposition, sumIn, valueIn } from '../helpers/exposition.ts'
import { startHeldGateway } from '../helpers/held-gateway.ts'
import { startProxy } from '../helpers/proxy-under-test.ts'
import { send } from '../helpers/reading-client.ts'
import { drip, end, head, jsonHead, play, type Step, setStage } from '../helpers/scripted-exchange.ts'

const set = { gateway: 'default', model: 'm', operation: 'chat', app: '' }
const model = { gateway: 'default', model: 'm' }
const start: readonly Step[] = [
  [100, head],
  [150, role],
]

test('unmeasured figures: every series stands at zero from the start', { timeout: 10_000 }, async (t) => {
  const proxy = await startProxy(t, (await startHeldGateway(t)).url)
  const family = readExposition(await proxy.metrics(), 'text').get('streamgauge_unmeasured_total')
  assert.equal(family?.samples.length, figures.length * reasons.length)
  assert.ok(family?.samples.every(({ value, labels }) => value === 0 && Object.keys(labels).length === 2))
})

test('what is missing is counted by figure and reason, and by nothing else', { timeout: 10_000 }, async (t) => {
  const stage = await setStage(t)
  const scripts: Step[][] = [
    [...start, [500, say('x')], [510, end(ending(1))]],
    [...start, [500, end(finish() + done)]],
    [...start, ...drip(500, 100, 21, () => say('x')), [2510, end(finish() + done)]],
    [...start, [700, 'leave']],
    [
      [100, jsonHead()],
      [200, end(completion('hello', usageOf(3)))],
    ],
  ]
  const missing = new Map<string, number>()
  for (const [index, script] of scripts.entries()) {
    const told = await play(stage, script, {}, index * 10_000)
    for (const [figure, reason] of Object.entries(told.unmeasured)) {
      missing.set(`${figure} ${reason}`, (missing.get(`${figure} ${reason}`) ?? 0) + 1)
      assert.equal((told.line['unmeasured'] as Record<string, string>)[figure], reason)
    }
  }
  const family = readExposition(await stage.proxy.metrics(), 'text').get('streamgauge_unmeasured_total')
  const counted = (family?.samples ?? [])
    .filter(({ value }) => value > 0)
    .map(({ labels, value }) => [`${labels['figure']} ${labels['reason']}`, value] as const)
  assert.deepEqual(new Map(counted.sort()), new Map([...missing].sort()))
})

test('the counters of a label set stand at zero while its first request runs', { timeout: 10_000 }, async (t) => {
  const gateway = await startHeldGateway(t)
  const proxy = await startProxy(t, gateway.url)
  const client = send(`${proxy.url}/v1/chat/completions`, { model: 'm', stream: true })
  const held = await gateway.next()
  const text = await proxy.metrics()
  for (const outcome of outcomes) {
    assert.equal(valueIn(text, 'streamgauge_requests_total', { ...set, streamed: 'true', outcome }), 0)
    assert.equal(valueIn(text, 'streamgauge_requests_total', { ...set, streamed: 'false', outcome }), 0)
  }
  for (const name of ['tokens', 'cost_usd']) assert.equal(sumIn(text, `streamgauge_${name}_total`, model), 0)
  for (const name of ['stalls', 'stall_seconds', 'decode_tokens', 'decode_seconds', 'buffered_streams', 'resends'])
    assert.equal(valueIn(text, `streamgauge_${name}_total`, model), 0)
  assert.equal(valueIn(text, 'streamgauge_streams_started_total', set), 1)
  assert.equal(valueIn(text, 'streamgauge_time_to_first_token_seconds_count', set), 0)
  held.head()
  held.end(ending(1))
  await client.body
})

test('the fleet rate is the quotient of two sums, not a mean of rates', { timeout: 20_000 }, async (t) => {
  const stage = await setStage(t)
  // 20 tokens in 0.1 s (200 a second) and 2000 in 40 s (50 a second): the mean would be 125.
  await play(stage, [...start, ...drip(500, 5, 21, () => say('x')), [610, end(ending(21))]])
  const long = [...start, ...drip(500, 400, 101, (index) => (index === 0 ? say('x') : say('x').repeat(20)))]
  await play(stage, [...long, [40_510, end(ending(2001))]], {}, 10_000)
  // No time per token: in neither sum.
  await play(stage, [...start, ...drip(500, 100, 21, () => say('x')), [2510, end(finish() + done)]], {}, 60_000)
  await play(stage, [...start, ...drip(500, 100, 21, () => say('x')), [2510, end(usage(21))]], {}, 70_000)
  const text = await stage.proxy.metrics()
  assert.equal(valueIn(text, 'streamgauge_decode_tokens_total', model), 2020)
  assert.equal(valueIn(text, 'streamgauge_decode_seconds_total', model), 40.1)
  assert.equal(valueIn(text, 'streamgauge_time_per_output_token_seconds_count'), 2)
  assert.equal(valueIn(text, 'streamgauge_output_tokens_per_second_count'), 2)
  assert.equal(valueIn(text, 'streamgauge_output_tokens_per_second_sum'), 250)
  assert.equal(valueIn(text, 'streamgauge_output_tokens_per_second_by_concurrency_count', { concurrency: '1' }), 2)
})

test('a stall is a gap of over one second, counted with its whole length', { timeout: 10_000 }, async (t) => {
  const stage = await setStage(t)
  const script: Step[] = [
    ...start,
    [500, say('a')],
    [1500, say('b')],
    [2750, say('c')],
    [5750, say('d')],
    [5760, say('e')],
    [5770, end(ending(5))],
  ]
  const told = await play(stage, script)
  assert.equal(told.figures['longest_stall_seconds'], 3)
  const text = await stage.proxy.metrics()
  assert.equal(valueIn(text, 'streamgauge_stalls_total', model), 2)
  assert.equal(valueIn(text, 'streamgauge_stall_seconds_total', model), 4.25)
  const gaps = (le: string): number | undefined => valueIn(text, 'streamgauge_inter_chunk_seconds_bucket', { le })
  assert.deepEqual(['0.008', '0.011', '0.6', '1.0', '1.6', '2.8', '5.0', '+Inf'].map(gaps), [0, 1, 1, 2, 3, 3, 4, 4])
  assert.equal(valueIn(text, 'streamgauge_longest_stall_seconds_bucket', { le: '2.0' }), 0)
  assert.equal(valueIn(text, 'streamgauge_longest_stall_seconds_bucket', { le: '3.0' }), 1)
})

test('TTFT by what the gateway said of its prompt cache, and what a hint bought', { timeout: 10_000 }, async (t) => {
  const stage = await setStage(t)
  const cases = [
    { cache: 'hit', usage: { prompt_tokens_details: { cached_tokens: 16 } } },
    { cache: 'miss', usage: { prompt_tokens_details: { cached_tokens: 0 } } },
    { cache: 'unknown', usage: {} },
    { cache: 'response', usage: {}, headers: { 'x-portkey-cache-status': 'HIT' } },
  ]
  const message = { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] }
  for (const [index, { cache, usage: more, headers }] of cases.entries()) {
    const script: Step[] = [
      [100, { head: 200, headers: { 'content-type': 'text/event-stream', ...headers } }],
      [500, say('a')],
      [510, end(ending(1, more))],
    ]
    const request = index === 1 ? { prompt_cache_key: 'k' } : { messages: [message] }
    const told = await play(stage, script, { request }, index * 10_000)
    assert.equal(told.m.cache, cache)
    assert.equal(told.line['cache'], cache)
    assert.deepEqual(told.line['cache_hints'], index === 1 ? { prompt_cache_key: true } : { cache_control: 1 })
  }
  const text = await stage.proxy.metrics()
  for (const { cache } of cases) {
    assert.equal(valueIn(text, 'streamgauge_time_to_first_token_by_cache_seconds_count', { ...model, cache }), 1)
    const hint = cache === 'miss' ? 'prompt_cache_key' : 'cache_control'
    assert.equal(valueIn(text, 'streamgauge_cache_hints_total', { ...model, hint, cache }), 1)
  }
  assert.equal(sumIn(text, 'streamgauge_cache_hints_total'), 4)
})

test('tokens and cost add up by type', { timeout: 10_000 }, async (t) => {
  const price = { input: 1, cachedInput: 0.5, cacheWrite: 2, output: 10 }
  const stage = await setStage(t, { gateways: [{ models: { m: price } }] })
  const more = {
    prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 3 },
  }
  const script: Step[] = [...start, [500, think('abc')], [600, say('a')], [610, end(ending(5, more))]]
  const told = await play(stage, script)
  // 10 fresh, 8 cached, 2 written, 5 out.
  assert.equal(told.m.costUsd, (10 * 1 + 8 * 0.5 + 2 * 2 + 5 * 10) / 1e6)
  await play(stage, [...start, [500, say('a')], [610, end(ending(5, { cost: 0.25 }))]], {}, 10_000)
  const text = await stage.proxy.metrics()
  const tokens = (type: string): number | undefined =>
    valueIn(text, 'streamgauge_tokens_total', { ...model, app: '', type })
  assert.deepEqual(['input', 'cached_input', 'cache_write_input', 'output', 'reasoning'].map(tokens), [40, 8, 2, 10, 3])
  assert.equal(valueIn(text, 'streamgauge_cost_usd_total'), 0.25 + 68 / 1e6)
})

test('each outcome counts once, with whether it was a stream', { timeout: 10_000 }, async (t) => {
  const stage = await setStage(t)
  const scripts: [string, string, Step[]][] = [
    ['ok', 'true', [...start, [500, say('x')], [510, end(ending(1))]]],
    ['client_abort', 'true', [...start, [500, 'leave']]],
    ['gateway_error', 'true', [...start, [500, { cut: 'reset' }]]],
    ['truncated', 'true', [...start, [500, end(say('x'))]]],
    ['stream_error', 'true', [...start, [500, end('data: {"error":"x"}\n\n')]]],
    [
      'rate_limited',
      'false',
      [
        [100, jsonHead(429)],
        [200, end('{}')],
      ],
    ],
    [
      'http_4xx',
      'false',
      [
        [100, jsonHead(404)],
        [200, end('{}')],
      ],
    ],
    [
      'http_5xx',
      'false',
      [
        [100, jsonHead(503)],
        [200, end('{}')],
      ],
    ],
    [
      'ok',
      'false',
      [
        [100, jsonHead()],
        [200, end(completion('x'))],
      ],
    ],
  ]
  for (const [index, [outcome, , script]] of scripts.entries()) {
    assert.equal((await play(stage, script, {}, index * 10_000)).m.outcome, outcome)
  }
  const text = await stage.proxy.metrics()
  for (const [outcome, streamed] of scripts) {
    assert.equal(valueIn(text, 'streamgauge_requests_total', { ...set, streamed, outcome }), 1)
    const result = outcome === 'ok' ? 'ok' : 'other'
    assert.ok((valueIn(text, 'streamgauge_request_duration_seconds_count', { streamed, result }) ?? 0) > 0)
  }
  assert.equal(sumIn(text, 'streamgauge_requests_total'), scripts.length)
  assert.equal(sumIn(text, 'streamgauge_request_duration_seconds_count'), scripts.length)
  assert.equal(valueIn(text, 'streamgauge_streams_in_flight', model), 0)
  assert.equal(valueIn(text, 'streamgauge_streams_awaiting_first_token', model), 0)
  // The client that left waited for a token that never came.
  assert.equal(valueIn(text, 'streamgauge_abandoned_wait_seconds_count', model), 1)
  assert.equal(valueIn(text, 'streamgauge_abandoned_wait_seconds_sum', model), 0.5)
  assert.equal(valueIn(text, 'streamgauge_time_to_first_token_seconds_count', set), 2)
  // Refusals and cut answers must not look fast.
  assert.equal(valueIn(text, 'streamgauge_time_to_headers_seconds_count'), 6)
})
