import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '../../src/measurement/stream-measurement.ts'
import { readAnswer } from '../helpers/read-answer.ts'

const event = 'data: {"choices":[{"delta":{"content":"ab"}}]}\n\n'
const whole = '{"choices":[{"message":{"content":"ab"}}]}'
const lines = '{"message":{"content":"ab"},"done":false}\n{"message":{"content":""},"done":true}\n'
const line = '{"message":{"content":"ab"},"done":true}'

type Row = readonly [
  string,
  string | undefined,
  string,
  { streamed: boolean; chars?: number; lied?: boolean; operation?: Operation },
]

const rows: readonly Row[] = [
  ['events, labelled as such', 'text/event-stream', event, { streamed: true }],
  ['the label in another case, with a parameter', ' Text/Event-Stream ; charset=utf-8', event, { streamed: true }],
  ['events labelled JSON', 'application/json', event, { streamed: true, lied: true }],
  ['events labelled text', 'text/plain', event, { streamed: true }],
  ['events without a label', undefined, event, { streamed: true }],
  ['events that begin with a comment, without a label', undefined, `: ping\n\n${event}`, { streamed: true }],
  ['events that begin with blank lines, without a label', undefined, `\r\n\n${event}`, { streamed: true }],
  ['events that begin with a name', undefined, `event: message\n${event}`, { streamed: true }],
  ['events that begin with an id', 'application/octet-stream', `id: 1\n${event}`, { streamed: true }],
  [
    'events that begin with a mark, labelled JSON',
    'application/json',
    `\ufeff${event}`,
    { streamed: true, lied: true },
  ],
  ['events that begin with an unknown field', 'text/event-stream', `foo: 1\n${event}`, { streamed: true }],
  ['JSON, labelled as such', 'application/json; charset=utf-8', whole, { streamed: false }],
  ['JSON by its suffix', 'application/problem+json', whole, { streamed: false }],
  ['JSON behind blank lines and a mark', 'application/json', `\ufeff\n\n \n${whole}`, { streamed: false }],
  ['JSON behind many blank lines (a keep-alive)', 'application/json', '\n'.repeat(9000) + whole, { streamed: false }],
  ['JSON labelled as events', 'text/event-stream', whole, { streamed: false, lied: true }],
  ['JSON labelled text', 'text/plain', whole, { streamed: false }],
  ['JSON without a label', undefined, whole, { streamed: false }],
  ['HTML', 'text/html', '<html>data: no\n\n</html>', { streamed: false, chars: 0 }],
  ['HTML labelled as events', 'text/event-stream', '<html>\n\n</html>', { streamed: true, chars: 0 }],
  ['text that only looks like a field', 'text/plain', 'database error\n\n', { streamed: false, chars: 0 }],
  ['sound is not looked into', 'audio/mpeg', event, { streamed: false, chars: 0 }],
  ['nothing, labelled as events', 'text/event-stream', '', { streamed: true, chars: 0 }],
  ['nothing, labelled JSON', 'application/json', '', { streamed: false, chars: 0 }],
  ['nothing', undefined, '', { streamed: false, chars: 0 }],
  ['blank lines alone, labelled as events', 'text/event-stream', '\n\n\n', { streamed: true, chars: 0 }],
  ['lines, labelled as such', 'application/x-ndjson', lines, { streamed: true, operation: 'ollama_chat' }],
  [
    'lines labelled JSON, of an API that streams lines',
    'application/json',
    lines,
    { streamed: true, lied: true, operation: 'ollama_chat' },
  ],
  ['lines without a label', undefined, lines, { streamed: true, operation: 'ollama_chat' }],
  ['lines labelled as events', 'text/event-stream', lines, { streamed: true, lied: true, operation: 'ollama_chat' }],
  ['one object of an API that streams lines', 'application/json', line, { streamed: false, operation: 'ollama_chat' }],
  ['one object and a line end', 'application/json', `${line}\n`, { streamed: false, operation: 'ollama_chat' }],
  [
    'one object over lines',
    'application/json',
    line.replaceAll(',', ',\n'),
    { streamed: false, operation: 'ollama_chat' },
  ],
  ['one object labelled as lines', 'application/x-ndjson', line, { streamed: true, operation: 'ollama_chat' }],
  ['lines of chat', 'application/jsonl', `${whole.replace('message', 'delta')}\n`, { streamed: true }],
]

for (const [name, contentType, text, { streamed, chars = 2, lied = false, operation = 'chat' }] of rows) {
  test(`${name}: ${streamed ? 'a stream' : 'a whole body'}, in one read and byte by byte`, () => {
    const body = Buffer.from(text)
    for (const reads of [[body], Array.from(body, (_, at) => body.subarray(at, at + 1))]) {
      const { events, facts } = readAnswer(reads, { operation, status: 200, contentType, clean: true })
      const counted = facts.wholeBody?.contentChars ?? events.reduce((sum, entry) => sum + entry.contentChars, 0)
      assert.deepEqual(
        { streamed: facts.streamed, lied: facts.contentTypeLied, chars: counted, invalid: facts.invalidEvents },
        { streamed, lied, chars, invalid: 0 },
      )
    }
  })
}

test('a body labelled JSON that is neither JSON nor events is invalid', () => {
  const { facts } = readAnswer([Buffer.from('oops')], {
    operation: 'chat',
    status: 200,
    contentType: 'application/json',
    clean: true,
  })
  assert.equal(facts.invalidEvents, 1)
})

test('JSON that was cut off is not invalid, and is not read', () => {
  const about = { operation: 'chat', status: 200, contentType: 'application/json', clean: false } as const
  const { facts } = readAnswer([Buffer.from(whole.slice(0, -2))], about)
  assert.deepEqual([facts.invalidEvents, facts.events, facts.wholeBody], [0, 0, undefined])
})

test('before the first bytes it is not known whether an answer is a stream', () => {
  const about = { operation: 'chat', status: 200, contentType: undefined, clean: true } as const
  const { events, facts } = readAnswer([Buffer.from('ev'), Buffer.from('ent: a\n'), Buffer.from(event)], about)
  assert.deepEqual([events.length, events[0]?.read, facts.streamed], [1, 2, true])
})
