import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '../../src/measurement/stream-measurement.ts'
import { readAnswer } from '../helpers/read-answer.ts'

/** The error label of a whole JSON body. */
function ofBody(body: unknown, status = 200, operation: Operation = 'chat'): string | undefined {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return readAnswer([bytes], { operation, status, contentType: 'application/json', clean: true }).facts.error
}

/** The error label of a stream of one event. */
function ofEvent(data: unknown, operation: Operation = 'chat', name = ''): string | undefined {
  const text = `${name && `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
  const about = { operation, status: 200, contentType: 'text/event-stream', clean: true }
  return readAnswer([Buffer.from(text)], about).facts.error
}

const shapes: readonly (readonly [string, unknown, string])[] = [
  ['OpenAI', { error: { message: 'm', type: 'server_error', param: null, code: null } }, 'server_error'],
  ['a type before a code', { error: { message: 'm', type: 'requests', code: 'rate_limit_exceeded' } }, 'requests'],
  ['a status before a code', { error: { code: 400, message: 'm', status: 'INVALID_ARGUMENT' } }, 'INVALID_ARGUMENT'],
  ['a code that is a number', { error: { code: 502, message: 'm' } }, '502'],
  ['a code that is a string', { error: { code: 'content_filter', message: 'm' } }, 'content_filter'],
  [
    'OpenRouter: what the provider called it',
    { error: { code: 502, message: 'm', metadata: { error_type: 'provider_unavailable' } } },
    'provider_unavailable',
  ],
  ['Gemini: an array', [{ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }], 'RESOURCE_EXHAUSTED'],
  ['Anthropic', { type: 'error', error: { type: 'overloaded_error', message: 'm' } }, 'overloaded_error'],
  ['flat, its code', { type: 'error', code: 'rate_limit_exceeded', message: 'm' }, 'rate_limit_exceeded'],
  [
    'vLLM, old: flat, its type',
    { object: 'error', message: 'm', type: 'BadRequestError', code: 400 },
    'BadRequestError',
  ],
  ['llama.cpp', { error: { code: 500, message: 'm', type: 'server_error' } }, 'server_error'],
  ['a string', { error: 'model not found' }, 'model not found'],
]

for (const [name, shape, label] of shapes) {
  test(`the same label in a body, in an error's body and in an event: ${name}`, () => {
    assert.equal(ofBody(shape), label)
    assert.equal(ofBody(shape, 500), label)
    assert.equal(ofEvent(shape), label)
  })
}

test('an error of a choice (OpenRouter)', () => {
  const choice = {
    error: { code: 502, metadata: { error_type: 'provider_error' } },
    finish_reason: 'error',
    message: {},
  }
  assert.equal(ofBody({ choices: [choice] }), 'provider_error')
  assert.equal(ofEvent({ choices: [choice] }), 'provider_error')
})

test('an error that says nothing of its kind: the status, where that is one', () => {
  for (const shape of [{ error: { message: 'm' } }, { error: true }, { type: 'error' }, { error: [] }]) {
    assert.equal(ofBody(shape), 'error')
    assert.equal(ofBody(shape, 503), 'http_503')
  }
})

test('an error status without an error', () => {
  assert.equal(ofBody('', 502), 'http_502')
  assert.equal(ofBody('<html>', 500), 'http_500')
  assert.equal(ofBody({ status: 'failure', message: 'm' }, 500), 'http_500')
  assert.equal(ofBody({ detail: 'Not Found' }, 404), 'http_404')
  assert.equal(ofBody('{"error', 400), 'http_400')
})

test('an error status with a body of events', () => {
  const about = { operation: 'chat', status: 401, contentType: 'text/event-stream', clean: true } as const
  const event = Buffer.from('data: {"error":{"type":"authentication_error"}}\n\n')
  assert.equal(readAnswer([event], about).facts.error, 'authentication_error')
  assert.equal(readAnswer([Buffer.from('{"error":{"code":"invalid_api_key"}}')], about).facts.error, 'invalid_api_key')
  assert.equal(readAnswer([], about).facts.error, 'http_401')
})

test('what is no error', () => {
  for (const shape of [
    { error: null },
    { error: '' },
    { error: false },
    { error: 0 },
    { extra: { error: { type: 'x' } } },
    null,
    'x',
  ]) {
    assert.equal(ofBody(shape), undefined, JSON.stringify(shape))
    assert.equal(ofEvent(shape), undefined, JSON.stringify(shape))
  }
})

test('an event named error is one, whatever it says', () => {
  assert.equal(ofEvent({ message: 'm', code: 'c1' }, 'chat', 'error'), 'c1')
  assert.equal(ofEvent({ message: 'm' }, 'responses', 'error'), 'error')
  assert.equal(ofEvent('no json', 'messages', 'error'), 'error')
})

test('the Responses API: nested, flat, in the failed response, or failed without a word', () => {
  assert.equal(
    ofEvent({ type: 'error', error: { type: 'insufficient_quota', code: 'q' } }, 'responses'),
    'insufficient_quota',
  )
  assert.equal(ofEvent({ type: 'error', code: 'server_error', message: 'm' }, 'responses'), 'server_error')
  const failed = { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error' } } }
  assert.equal(ofEvent(failed, 'responses'), 'server_error')
  assert.equal(ofEvent({ ...failed, response: { status: 'failed', error: null } }, 'responses'), 'failed')
  assert.equal(
    ofBody({ status: 'failed', error: { code: 'server_error' }, output: [] }, 200, 'responses'),
    'server_error',
  )
})

test('the first error counts', () => {
  const text = 'data: {"error":{"type":"first"}}\n\ndata: {"error":{"type":"second"}}\n\n'
  const about = { operation: 'chat', status: 200, contentType: 'text/event-stream', clean: true } as const
  assert.equal(readAnswer([Buffer.from(text)], about).facts.error, 'first')
})

test('a label has at most 64 characters and no control characters, and no half of a surrogate pair', () => {
  assert.equal(ofBody({ error: 'e'.repeat(100) }), 'e'.repeat(64))
  assert.equal(ofBody({ error: 'a\nb\u0007c\u0085' }), 'a·b·c·')
  assert.equal(ofBody({ error: `${'e'.repeat(63)}\u{1f30a}` }), `${'e'.repeat(63)}·`)
})
