import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ending, say, usageOf } from '../helpers/chat-events.ts'
import { valueIn } from '../helpers/exposition.ts'
import { end, head, play, type Step, setStage } from '../helpers/scripted-exchange.ts'

const price = { input: 1, cachedInput: 0.1, cacheWrite: 2, output: 10 }
const config = { gateways: [{ models: { m: price } }] }
const stream = (last: string): Step[] => [
  [10, head],
  [100, say('a')],
  [300, end(say('b') + last)],
]
const details = (cached: number, written: number): object => ({
  prompt_tokens: 1000,
  total_tokens: 1100,
  prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
})

test('the table prices fresh, cached, written and generated tokens', { timeout: 10_000 }, async (t) => {
  const stage = await setStage(t, config)
  const told = await play(stage, stream(ending(100, details(600, 100))))
  // 300 fresh at 1, 600 cached at 0.1, 100 written at 2, 100 generated at 10 USD per million.
  assert.equal(told.line['cost_usd'], (300 * 1 + 600 * 0.1 + 100 * 2 + 100 * 10) / 1e6)
  const metrics = await stage.proxy.metrics()
  assert.equal(valueIn(metrics, 'streamgauge_cost_usd_total', { model: 'm' }), told.line['cost_usd'])
})

test("the gateway's own figure wins over the table, and a model without a price has no cost", {
  timeout: 10_000,
}, async (t) => {
  const stage = await setStage(t, config)
  assert.equal((await play(stage, stream(ending(100, { cost: 0.0123 })))).line['cost_usd'], 0.0123)
  assert.equal((await play(stage, stream(ending(100)), { request: { model: 'other' } })).line['cost_usd'], null)
})

test('what a cache hint bought shows: TTFT by cache state, and hints by what came of them', {
  timeout: 10_000,
}, async (t) => {
  const stage = await setStage(t)
  const hinted = {
    messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] }],
    prompt_cache_key: 'k',
  }
  const cold: Step[] = [
    [10, head],
    [2000, say('a')],
    [2100, end(say('b') + ending(2, details(0, 900)))],
  ]
  const warm: Step[] = [
    [10, head],
    [200, say('a')],
    [300, end(say('b') + ending(2, details(900, 0)))],
  ]
  const first = await play(stage, cold, { request: hinted })
  const second = await play(stage, warm, { request: hinted }, 10_000)
  assert.deepEqual([first.line['cache'], second.line['cache']], ['miss', 'hit'])
  assert.deepEqual(second.line['cache_hints'], { cache_control: 1, prompt_cache_key: true })
  const metrics = await stage.proxy.metrics()
  const ttft = (cache: string): number =>
    valueIn(metrics, 'streamgauge_time_to_first_token_by_cache_seconds_sum', { cache }) as number
  assert.equal(ttft('miss'), 2)
  assert.equal(ttft('hit'), 0.2)
  for (const hint of ['cache_control', 'prompt_cache_key']) {
    for (const cache of ['hit', 'miss'])
      assert.equal(valueIn(metrics, 'streamgauge_cache_hints_total', { hint, cache }), 1)
  }
})

test('a fallback is seen: who served is not who was asked', { timeout: 10_000 }, async (t) => {
  const stage = await setStage(t)
  const served = `data: ${JSON.stringify({ model: 'fallback/model', provider: 'Azure', choices: [{ index: 0, delta: { content: 'a' } }], ...usageOf(1) })}\n\n`
  const told = await play(stage, [
    [10, head],
    [100, served],
    [200, end(ending(1).replaceAll('m-served', 'fallback/model'))],
  ])
  assert.deepEqual(
    [told.line['model'], told.line['served_model'], told.line['provider']],
    ['m', 'fallback/model', 'Azure'],
  )
  const metrics = await stage.proxy.metrics()
  assert.equal(
    valueIn(metrics, 'streamgauge_served_by_total', { model: 'm', served_model: 'fallback/model', provider: 'Azure' }),
    1,
  )
})
