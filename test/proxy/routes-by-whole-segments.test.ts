import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routeOf } from '../../src/proxy/route.ts'

const names = new Set(['openrouter', 'local'])
const route = (target: string, method = 'POST') => routeOf(method, target, names)

test('app and gateway are taken off, each optional, whole segments only', () => {
  const table: [string, string, string | undefined, string][] = [
    ['/v1/chat/completions', '', undefined, '/v1/chat/completions'],
    ['/@checkout/v1/chat/completions', 'checkout', undefined, '/v1/chat/completions'],
    ['/openrouter/v1/chat/completions', '', 'openrouter', '/v1/chat/completions'],
    ['/@checkout/openrouter/v1/chat/completions', 'checkout', 'openrouter', '/v1/chat/completions'],
    ['/@a%20b/local/v1/completions', 'a b', 'local', '/v1/completions'],
    ['/openrouters/v1/completions', '', undefined, '/openrouters/v1/completions'],
    ['/openrouter', '', 'openrouter', '/'],
    ['/@app', 'app', undefined, '/'],
    ['/v1/openrouter/models', '', undefined, '/v1/openrouter/models'],
    ['/@a/@b/v1/models', 'a', undefined, '/@b/v1/models'],
  ]
  for (const [target, app, gateway, path] of table) {
    const found = route(target)
    assert.ok(found.kind !== 'bad_path', target)
    assert.deepEqual([found.app, found.gateway, found.path], [app, gateway, path], target)
  }
})

test('generations are told by the end of the path, whatever stands before', () => {
  const table: [string, string | undefined][] = [
    ['/v1/chat/completions', 'chat'],
    ['/chat/completions', 'chat'],
    ['/openai/deployments/d/chat/completions?api-version=1', 'chat'],
    ['/v1/completions', 'completions'],
    ['/v1/responses', 'responses'],
    ['/v1/messages', 'messages'],
    ['/api/chat', 'ollama_chat'],
    ['/api/generate', 'ollama_generate'],
    ['/v1/threads/t/messages', undefined],
    ['/v1/messages/batches', undefined],
    ['/v1/responses/r/cancel', undefined],
    ['/v1/mychat/completionsX', undefined],
    ['/v1/embeddings', undefined],
    ['/v1/chat/completions/', undefined],
  ]
  for (const [target, operation] of table) {
    const found = route(target)
    assert.ok(found.kind !== 'bad_path')
    assert.equal(found.operation, operation, target)
    assert.equal(found.kind, operation === undefined ? 'passthrough' : 'generation', target)
  }
  assert.equal(routeOf('GET', '/v1/responses', names).kind, 'passthrough')
})

test('odd paths pass byte for byte, those that could mean another path to the gateway do not pass', () => {
  for (const path of [
    '/v1/models/meta-llama%2FLlama-3',
    '/v1/%E6%A8%A1',
    '/v1/a;b=c',
    '/v1/a%20b',
    '/v1/%zz',
    '/v1/a..b',
    '/v1/...',
    '/v1//x',
    '/',
    '/v1/',
  ]) {
    const found = route(`${path}?x=%2F&y=a+b&z=//q`, 'GET')
    assert.ok(found.kind !== 'bad_path', path)
    assert.deepEqual([found.path, found.query], [path, 'x=%2F&y=a+b&z=//q'])
  }
  for (const path of [
    '//v1/models',
    '/v1/../v1/models',
    '/v1/./models',
    '/v1/%2e%2E/x',
    '/v1/.%2e/x',
    '/v1\\models',
    '/v1/#x',
    '*',
    'v1',
    '',
    '/..',
    'ftp://h/v1',
  ]) {
    assert.equal(route(path, 'GET').kind, 'bad_path', path)
  }
})

test('an absolute target says nothing of where to go: only its path counts', () => {
  const found = route('http://evil.example:99/v1/models?a=1', 'GET')
  assert.ok(found.kind !== 'bad_path')
  assert.deepEqual([found.path, found.query], ['/v1/models', 'a=1'])
  assert.equal(route('http://evil.example//v1', 'GET').kind, 'bad_path')
})
