import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saidOf, saidOfBody, saidOfEvents } from '../helpers/said-of-answer.ts'

const delta = (value: object, more: object = {}): object => ({
  model: 'm',
  choices: [{ index: 0, delta: value, ...more }],
})
const finish = delta({}, { finish_reason: 'stop' })
const done = '[DONE]'

test('reasoning in details alone, text or summary; encrypted and signed entries are no text', () => {
  const said = saidOfEvents('chat', [
    delta({ content: '', reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] }),
    delta({ content: '', reasoning_details: [{ type: 'reasoning.summary', summary: 'So.' }] }),
    delta({ content: '', reasoning_details: [{ type: 'reasoning.encrypted', data: 'AAAA' }] }),
    delta({ content: '', reasoning_details: [{ type: 'reasoning.text', text: '', signature: 'c2ln' }] }),
  ])
  assert.deepEqual([said.phases, said.chars], ['r r - -', [0, 5, 0]])
})

test('reasoning under four names at once is counted once, the first that has text', () => {
  const said = saidOfEvents('chat', [
    delta({
      reasoning_content: '',
      reasoning: 'Hm.',
      reasoning_details: [{ text: 'Hm.' }],
      thinking_blocks: [{ type: 'thinking', thinking: 'Hm.' }],
      content: [{ type: 'thinking', thinking: 'Hm.' }],
    }),
    delta({ reasoning_content: null, thinking_blocks: [{ type: 'thinking', thinking: 'Well' }] }),
  ])
  assert.deepEqual([said.phases, said.chars], ['r r', [0, 7, 0]])
})

test('reasoning and content in one event: both phases, one event', () => {
  const said = saidOfEvents('chat', [delta({ reasoning_content: 'Hm.', content: 'Yes' })])
  assert.deepEqual([said.phases, said.chars], ['ra', [3, 3, 0]])
})

test('content parts: text, refusal, thinking in a string, a part that is a string, unknown parts', () => {
  const parts = [
    { type: 'text', text: 'ab' },
    { type: 'refusal', refusal: 'no' },
    { type: 'thinking', thinking: 'hm' },
    'cd',
    { type: 'reference', reference_ids: [1] },
    { type: 'image_url', image_url: { url: 'data:' } },
    null,
    7,
  ]
  assert.deepEqual(saidOfEvents('chat', [delta({ content: parts })]).chars, [6, 2, 0])
})

test('a tool name that is repeated, empty or not; a call without index; arguments that are an object', () => {
  const call = (called: object, more: object = {}): object => delta({ tool_calls: [{ function: called, ...more }] })
  const said = saidOfEvents('chat', [
    call({ name: 'tide', arguments: '' }, { index: 0 }),
    call({ name: '', arguments: '{}' }, { index: 0 }),
    call({ name: 'tide', arguments: '' }, { id: '' }),
    call({ name: '', arguments: '' }),
    call({ arguments: { at: 'Ebb' } }),
    call({ arguments: {} }),
    delta({ tool_calls: [{ type: 'custom', custom: { name: 'sh', input: 'ls' } }] }),
  ])
  assert.deepEqual([said.phases, said.chars], ['a a a - a - a', [0, 0, 4 + 2 + 4 + 12 + 4]])
})

test('a thought marked by Gemini in its content is answer text', () => {
  const said = saidOfEvents('chat', [delta({ content: 'Hm', extra_content: { google: { thought: true } } })])
  assert.deepEqual([said.phases, said.chars], ['a', [2, 0, 0]])
})

test('a message beside a delta, or alone, is the text so far and is not counted in a stream', () => {
  const said = saidOfEvents('chat', [
    delta({ content: 'a' }, { message: { content: 'a' } }),
    delta({ content: 'b' }, { message: { content: 'ab' } }),
    { choices: [{ message: { content: 'ab' } }] },
  ])
  assert.deepEqual([said.phases, said.chars], ['a a -', [2, 0, 0]])
})

test('a chat choice that has a text instead of a delta', () => {
  assert.deepEqual(saidOfEvents('chat', [{ choices: [{ text: 'ab' }] }]).chars, [2, 0, 0])
})

test('completions: text, or what a gateway that speaks chat sends, never both', () => {
  const said = saidOfEvents('completions', [
    { choices: [{ text: 'a', index: 0 }] },
    { choices: [{ text: 'b', delta: { content: 'b' } }] },
    { choices: [{ text: '', delta: { content: 'c' } }] },
    { choices: [{ text: '', finish_reason: 'length' }] },
  ])
  assert.deepEqual([said.phases, said.chars, said.facts.finishReason], ['a a a -', [3, 0, 0], 'length'])
  assert.deepEqual(saidOfBody('completions', { choices: [{ text: 'a' }, { text: 'b' }] }).chars, [2, 0, 0])
})

test('a filter event after the finish does not erase the finish reason, nor an empty model the model', () => {
  const said = saidOfEvents('chat', [
    { model: '', choices: [], prompt_filter_results: [] },
    delta({ content: 'a' }),
    finish,
    { model: '', choices: [{ index: 0, finish_reason: null, content_filter_offsets: {} }] },
    done,
  ])
  assert.deepEqual([said.facts.finishReason, said.facts.servedModel, said.facts.endSeen], ['stop', 'm', true])
})

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
  for (const odd of [-1, '0.1', null, 1e999]) assert.equal(cost({ cost: odd }), undefined)
})

test('what follows [DONE] is not read; [DONE] in a text is text', () => {
  const said = saidOfEvents('chat', [delta({ content: '[DONE]' }), finish, done, delta({ content: 'x' }), '{', done])
  assert.deepEqual([said.chars, said.facts.events, said.facts.invalidEvents], [[6, 0, 0], 3, 0])
  assert.equal(saidOf('chat', 'data: [DONE]\n\n: late\n\n', 'text/event-stream', true).facts.comments, 0)
})

test('a finish reason is an end, the protocol has its own', () => {
  const ends = (events: readonly unknown[]): readonly boolean[] => {
    const { facts } = saidOfEvents('chat', events)
    return [facts.endSeen, facts.protocolEndSeen]
  }
  assert.deepEqual(ends([delta({ content: 'a' })]), [false, false])
  assert.deepEqual(ends([finish]), [true, false])
  assert.deepEqual(ends([done]), [true, true])
})

test('an unterminated last event is read at a clean end, if it is [DONE] or whole JSON', () => {
  const usage = JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 5 } })
  const said = (rest: string, clean: boolean): readonly unknown[] => {
    const { facts, usage: counts } = saidOf('chat', `data: {"choices":[]}\n\n${rest}`, 'text/event-stream', clean)
    return [facts.events, facts.invalidEvents, facts.protocolEndSeen, counts]
  }
  for (const end of ['', '\n', '\r\n', '\r']) {
    assert.deepEqual(said(`data: [DONE]${end}`, true), [2, 0, true, undefined])
    assert.deepEqual(said(`data: ${usage}${end}`, true), [2, 0, false, { input: 3, output: 5 }])
    assert.deepEqual(said(`data: [DONE]${end}`, false), [1, 0, false, undefined])
    assert.deepEqual(said(`data: ${usage}${end}`, false), [1, 0, false, undefined])
    assert.deepEqual(said(`data: ${usage.slice(0, -1)}${end}`, true), [1, 0, false, undefined])
    assert.deepEqual(said(`data: 12${end}`, true), [1, 0, false, undefined])
  }
  assert.deepEqual(said('data:\n', true), [1, 0, false, undefined])
})

test('keep-alives are no output, no error, and no progress', () => {
  const text = ': OPENROUTER PROCESSING\n\n: ping\n:\n\ndata:\n\ndata: \n\nevent: ping\ndata: {"type":"ping"}\n\n\n\r\n'
  const said = saidOf('chat', text, 'text/event-stream', true)
  assert.deepEqual(
    [said.facts.comments, said.facts.invalidEvents, said.facts.error, said.phases],
    [3, 0, undefined, '- - -'],
  )
})

test('odd JSON is valid and says nothing; what is not JSON is invalid', () => {
  const said = saidOfEvents('chat', [
    ...[
      'null',
      '"text"',
      '5',
      'true',
      '[]',
      '[null]',
      '{}',
      '{"choices":null}',
      '{"choices":{}}',
      '{"choices":[null,5,[]]}',
    ],
    ...[
      '{"choices":[{"delta":null}]}',
      '{"choices":[{"delta":"x"}]}',
      '{"choices":[{"delta":{"content":5}}]}',
      '{"choices":"x"}',
    ],
  ])
  assert.deepEqual([said.facts.invalidEvents, said.facts.events, said.chars], [0, 14, [0, 0, 0]])
  assert.equal(saidOfEvents('chat', ['{', 'ping', "{'a':1}", '{"a":"\0"}', '[DONE', '[DONE]]']).facts.invalidEvents, 6)
})

test('bytes that are not UTF-8 in a text are replacement characters, and the stream goes on', () => {
  const said = saidOf('chat', 'data: {"choices":[{"delta":{"content":"a', 'text/event-stream', true)
  assert.equal(said.facts.invalidEvents, 0)
})

test('choices: the largest index, within reason', () => {
  const choices = (...indexes: unknown[]): number =>
    saidOfEvents('chat', [{ choices: indexes.map((index) => ({ index, delta: { content: 'a' } })) }]).facts.choices
  assert.equal(choices(), 0)
  assert.equal(choices(0), 1)
  assert.equal(choices(1, 0), 2)
  assert.equal(choices(undefined, undefined, undefined), 3)
  assert.equal(choices(-1, 'x', 1e9, 2.5), 4)
})

test('no token at all: role, finish, usage; a cut before the first token', () => {
  const empty = saidOfEvents('chat', [delta({ role: 'assistant', content: '' }), finish, done])
  assert.deepEqual([empty.phases, empty.facts.endSeen], ['- - -', true])
  const cutOff = saidOfEvents('chat', [delta({ role: 'assistant' })], false)
  assert.deepEqual([cutOff.phases, cutOff.facts.endSeen], ['-', false])
})

test('a whole message: everything that a stream may carry', () => {
  const said = saidOfBody('chat', {
    model: 'm',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: { content: 'ab', refusal: 'c', audio: { transcript: 'de', data: 'AA' } },
      },
      {
        index: 1,
        finish_reason: 'length',
        message: { reasoning: 'hm', function_call: { name: 'f', arguments: '{}' } },
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 9 },
  })
  assert.deepEqual(
    [said.chars, said.facts.choices, said.facts.finishReason, said.usage],
    [[5, 2, 3], 2, 'length', { input: 3, output: 9 }],
  )
  assert.deepEqual([said.facts.events, said.events.length, said.facts.protocolEndSeen], [1, 0, false])
})
