import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerReader } from '../../src/wire/answer-reader.ts'
import { cut, readAnswer } from '../helpers/read-answer.ts'
import type { AnswerAbout } from '../helpers/reference-reader.ts'

const sse: AnswerAbout = { operation: 'chat', status: 200, contentType: 'text/event-stream', clean: true }
const ndjson: AnswerAbout = { ...sse, operation: 'ollama_chat', contentType: 'application/x-ndjson' }
const chunk = (content: string): string => `data: {"choices":[{"delta":{"content":${JSON.stringify(content)}}}]}\n\n`
const usage = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\ndata: [DONE]\n\n'

function counts(text: string, about: AnswerAbout, limit: number, cuts: readonly number[] = []): object {
  const { events, facts } = readAnswer(cut(Buffer.from(text), cuts), about, limit)
  const chars = events.reduce((sum, event) => sum + event.contentChars, 0)
  return {
    events: facts.events,
    chars,
    skipped: facts.skippedEvents,
    invalid: facts.invalidEvents,
    comments: facts.comments,
  }
}

test('an event over the limit is skipped and counted once, and those round it are read, however the reads fall', () => {
  const big = chunk('x'.repeat(5000))
  const text = chunk('ab') + big + chunk('cd') + big.replace('\n\n', '\r\n\r\n') + chunk('ef') + usage
  const expected = { events: 5, chars: 6, skipped: 2, invalid: 0, comments: 0 }
  for (const cuts of [[], [100], [100, 200, 3000, 5200, 5201], Array.from({ length: text.length }, (_, at) => at)]) {
    assert.deepEqual(counts(text, sse, 1000, cuts), expected)
  }
})

test('an event at the limit is read, one byte more is not', () => {
  const text = chunk('x'.repeat(50))
  const length = Buffer.byteLength(text) - 'data: \n\n'.length
  for (const cuts of [[], [10], [10, 60]]) {
    assert.deepEqual(counts(text, sse, length, cuts), { events: 1, chars: 50, skipped: 0, invalid: 0, comments: 0 })
    assert.deepEqual(counts(text, sse, length - 1, cuts), { events: 0, chars: 0, skipped: 1, invalid: 0, comments: 0 })
  }
})

test('many small data lines count together, and the event goes on being skipped until its blank line', () => {
  const text = `${'data: 1234567\n'.repeat(1000)}event: error\n: comment\n\n${chunk('ok')}`
  for (const cuts of [[], [7, 700, 7000]]) {
    assert.deepEqual(counts(text, sse, 500, cuts), { events: 1, chars: 2, skipped: 1, invalid: 0, comments: 1 })
  }
})

test('a huge comment is a comment, and a huge unknown line is nothing: no event is lost with them', () => {
  const text = `:${'c'.repeat(5000)}\ndata: {"choices":[{"delta":{"content":"a"}}]}\nunknown: ${'u'.repeat(5000)}\n\n${chunk('b')}`
  for (const cuts of [[], [100, 200], [100, 4000, 5050, 9000]]) {
    assert.deepEqual(counts(text, sse, 500, cuts), { events: 2, chars: 2, skipped: 0, invalid: 0, comments: 1 })
  }
})

test('a huge first line behind a byte order mark', () => {
  const text = `\ufeff${chunk('x'.repeat(5000))}${chunk('b')}`
  for (const cuts of [[], [2, 100]]) {
    assert.deepEqual(counts(text, sse, 500, cuts), { events: 1, chars: 1, skipped: 1, invalid: 0, comments: 0 })
  }
})

test('a huge line of NDJSON is skipped, and the next is read', () => {
  const line = (content: string): string => `${JSON.stringify({ message: { content }, done: false })}\n`
  const text = line('a') + line('x'.repeat(5000)) + line('b')
  for (const cuts of [[], [60, 100, 3000]]) {
    assert.deepEqual(counts(text, ndjson, 500, cuts), { events: 2, chars: 2, skipped: 1, invalid: 0, comments: 0 })
  }
})

test('a whole body over the limit is skipped', () => {
  const body = JSON.stringify({ choices: [{ message: { content: 'x'.repeat(5000) } }] })
  for (const about of [
    { ...sse, contentType: 'application/json' },
    { ...ndjson, contentType: 'application/json' },
  ]) {
    for (const cuts of [[], [100, 2000]]) {
      assert.deepEqual(counts(body, about, 500, cuts), { events: 0, chars: 0, skipped: 1, invalid: 0, comments: 0 })
    }
  }
})

test('an endless event costs no memory beyond the limit, and is counted before it ends', () => {
  const reader = new AnswerReader({ ...sse, maxEventBytes: 1_048_576 }, () => {})
  const read = Buffer.alloc(65_536, 'a')
  reader.push(Buffer.from('data: '))
  for (let at = 0; at < 64; at++) reader.push(read)
  const before = process.memoryUsage().arrayBuffers
  for (let at = 0; at < 4096; at++) reader.push(read)
  assert.equal(reader.facts.skippedEvents, 1)
  assert.ok(process.memoryUsage().arrayBuffers - before < 4 * 1_048_576)
})

test('an event of many reads of one byte is read (copying all of it at every read would be quadratic)', () => {
  const text = chunk('x'.repeat(200_000))
  let chars = 0
  const reader = new AnswerReader(sse, (reading) => {
    chars += reading.contentChars
  })
  for (const byte of Buffer.from(text)) reader.push(Uint8Array.of(byte))
  assert.equal(chars, 200_000)
})

test('two hundred thousand lines of one byte leave nothing behind', () => {
  const text = 'a\n'.repeat(200_000) + chunk('b')
  assert.deepEqual(counts(text, sse, 500, [1001, 20_002, 300_003]), {
    events: 1,
    chars: 1,
    skipped: 0,
    invalid: 0,
    comments: 0,
  })
})
