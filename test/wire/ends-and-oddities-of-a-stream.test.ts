import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saidOf, saidOfEvents } from '../helpers/said-of-answer.ts'

const delta = (value: object, more: object = {}): object => ({
  model: 'm',
  choices: [{ index: 0, delta: value, ...more }],
})
const finish = delta({}, { finish_reason: 'stop' })
const done = '[DONE]'

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
  const body = Buffer.from(
    'data: {"choices":[{"delta":{"content":"a?b"}}]}\n\ndata: {"choices":[{"delta":{"content":"c"}}]}\n\n',
  )
  body[body.indexOf('?')] = 0xff
  const said = saidOf('chat', body, 'text/event-stream', true)
  assert.deepEqual([said.chars, said.facts.invalidEvents], [[4, 0, 0], 0])
})
