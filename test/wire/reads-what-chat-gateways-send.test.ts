import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saidOfBody, saidOfEvents } from '../helpers/said-of-answer.ts'

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
