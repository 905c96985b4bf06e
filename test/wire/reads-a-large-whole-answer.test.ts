import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerReader } from '../../src/wire/answer-reader.ts'

const body = (size: number): Buffer =>
  Buffer.from(
    JSON.stringify({
      choices: [{ index: 0, message: { content: 'x'.repeat(size) }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    }),
  )

function read(bytes: Buffer): AnswerReader {
  const reader = new AnswerReader({ operation: 'chat', status: 200, contentType: 'application/json' }, () => {})
  for (let at = 0; at < bytes.length; at += 65_536) reader.push(bytes.subarray(at, at + 65_536))
  reader.end(true)
  return reader
}

test('a whole answer of some megabytes (sound, images) has its usage read', () => {
  const { facts } = read(body(3 * 2 ** 20))
  assert.equal(facts.usage?.output, 2)
  assert.equal(facts.skippedEvents, 0)
})

test('beyond the limit it is skipped and counted, not kept', () => {
  const { facts } = read(body(5 * 2 ** 20))
  assert.equal(facts.usage, undefined)
  assert.equal(facts.skippedEvents, 1)
})
