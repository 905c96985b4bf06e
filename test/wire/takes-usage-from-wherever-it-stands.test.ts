import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saidOfEvents } from '../helpers/said-of-answer.ts'

const delta = (value: object, more: object = {}): object => ({
  model: 'm',
  choices: [{ index: 0, delta: value, ...more }],
})
const finish = delta({}, { finish_reason: 'stop' })

test('usage: cumulative, in a choice, under x_groq, with nulls between; the last that is not null counts, field by field', () => {
  const said = saidOfEvents('chat', [
    { ...delta({ content: 'a' }), usage: { prompt_tokens: 7, completion_tokens: 1 } },
    { ...delta({ content: 'b' }), usage: null },
    { ...delta({}), usage: { prompt_tokens: null, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } } },
  ])
  assert.deepEqual(said.usage, { input: 7, output: 2, cachedInput: 4 })
  assert.deepEqual(
    said.events.map((event) => event.outputTokens),
    [1, undefined, 2],
  )
  assert.deepEqual(
    saidOfEvents('chat', [delta({}, { usage: { prompt_tokens: 7, completion_tokens: 1, cached_tokens: 3 } })]).usage,
    {
      input: 7,
      output: 1,
      cachedInput: 3,
    },
  )
  assert.deepEqual(
    saidOfEvents('chat', [{ ...finish, x_groq: { usage: { prompt_tokens: 7, completion_tokens: 1 } } }]).usage,
    {
      input: 7,
      output: 1,
    },
  )
})

test('usage so far is all generated tokens, reasoning that completion leaves out among them', () => {
  const said = saidOfEvents('chat', [
    { ...delta({ content: 'a' }), usage: { prompt_tokens: 7, completion_tokens: 7, total_tokens: 220 } },
  ])
  assert.equal(said.events[0]?.outputTokens, 213)
})

test('cache names: Alibaba, LiteLLM with both sets, DeepSeek twice, lifetimes alone, llama.cpp timings', () => {
  const usage = (more: object, beside: object = {}): object | undefined =>
    saidOfEvents('chat', [{ choices: [], usage: { prompt_tokens: 9, completion_tokens: 1, ...more }, ...beside }]).usage
  const counts = { input: 9, output: 1 }
  assert.deepEqual(
    usage({ prompt_tokens_details: { cached_tokens: 4, cache_creation_input_tokens: 3, cache_type: 'x' } }),
    {
      ...counts,
      cachedInput: 4,
      cacheWriteInput: 3,
    },
  )
  assert.deepEqual(
    usage({
      prompt_tokens_details: { cached_tokens: 4, cache_creation_tokens: 3 },
      cache_read_input_tokens: 4,
      cache_creation_input_tokens: 3,
    }),
    { ...counts, cachedInput: 4, cacheWriteInput: 3 },
  )
  assert.deepEqual(
    usage({ prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } }),
    {
      ...counts,
      cachedInput: 4,
    },
  )
  assert.deepEqual(usage({ cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 1 } }), {
    ...counts,
    cacheWriteInput: 3,
  })
  assert.deepEqual(usage({}, { timings: { cache_n: 6, predicted_n: 1 } }), { ...counts, cachedInput: 6 })
  assert.deepEqual(usage({ prompt_tokens_details: { cached_tokens: 0 } }, { timings: { cache_n: 6 } }), {
    ...counts,
    cachedInput: 0,
  })
  assert.deepEqual(usage({ reasoning_tokens: 1 }), { ...counts, reasoning: 1 })
})

test('figures that are no counts are not reported', () => {
  for (const odd of [-1, '5', 1.5, 1e308, null, true, {}, [5], 2 ** 60]) {
    assert.deepEqual(
      saidOfEvents('chat', [{ choices: [], usage: { prompt_tokens: 3, completion_tokens: odd } }]).usage,
      { input: 3 },
      JSON.stringify(odd),
    )
  }
  for (const usage of ['3 tokens', 5, true, [], {}, { completion_tokens: '5' }, { queue_time: 1 }]) {
    assert.equal(saidOfEvents('chat', [{ choices: [], usage }]).usage, undefined, JSON.stringify(usage))
  }
})

test('cost: OpenRouter, Perplexity, xAI', () => {
  const cost = (more: object): number | undefined =>
    saidOfEvents('chat', [{ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, ...more } }]).facts.costUsd
  assert.equal(cost({ cost: 0.0078 }), 0.0078)
  assert.equal(cost({ cost: 0 }), 0)
  assert.equal(cost({ cost: { request_cost: 0.001, total_cost: 0.002 } }), 0.002)
  assert.equal(cost({ cost_in_usd_ticks: 1_466_250 }), 0.000146625)
  for (const odd of [-1, '0.1', null]) assert.equal(cost({ cost: odd }), undefined)
})
