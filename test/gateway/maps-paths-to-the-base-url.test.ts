import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayTarget } from '../../src/gateway/target.ts'

test('every kind of base URL gets the path an OpenAI client would ask it for', () => {
  const table: [string, string, string][] = [
    ['https://api.openai.com/v1', '/v1/chat/completions', 'https://api.openai.com/v1/chat/completions'],
    ['https://openrouter.ai/api/v1', '/v1/chat/completions', 'https://openrouter.ai/api/v1/chat/completions'],
    [
      'https://generativelanguage.googleapis.com/v1beta/openai',
      '/v1/chat/completions',
      'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions',
    ],
    ['https://api.perplexity.ai', '/v1/chat/completions', 'https://api.perplexity.ai/chat/completions'],
    ['https://api.perplexity.ai/', '/chat/completions', 'https://api.perplexity.ai/chat/completions'],
    ['http://127.0.0.1:11434/v1', '/api/chat', 'http://127.0.0.1:11434/api/chat'],
    ['http://127.0.0.1:11434/v1/', '/v1/models', 'http://127.0.0.1:11434/v1/models'],
    [
      'https://n.openai.azure.com/openai/deployments/D',
      '/v1/chat/completions',
      'https://n.openai.azure.com/openai/deployments/D/chat/completions',
    ],
    ['http://u/v1', '/v1/', 'http://u/v1/'],
    ['http://u/v1', '/v1', 'http://u/v1'],
    ['http://u', '/v1', 'http://u/'],
    ['http://u/x', '/v1beta/y', 'http://u/x/v1beta/y'],
    ['http://u:8080/a/v1', '/v1/models/a%2Fb', 'http://u:8080/a/v1/models/a%2Fb'],
  ]
  for (const [base, path, expected] of table) {
    const target = gatewayTarget(base)
    assert.equal(target.origin + target.path(path, undefined), expected, `${base} + ${path}`)
  }
})

test("the client's query is kept byte for byte and its keys win over the base URL's", () => {
  const table: [string, string | undefined, string][] = [
    ['http://u/v1', undefined, '/v1/x'],
    ['http://u/v1', '', '/v1/x?'],
    ['http://u/v1', 'a=%2F&a=2&b', '/v1/x?a=%2F&a=2&b'],
    ['http://u/v1?api-version=1', undefined, '/v1/x?api-version=1'],
    ['http://u/v1?api-version=1', '', '/v1/x?api-version=1'],
    ['http://u/v1?api-version=1&k=2', 'api-version=9', '/v1/x?api-version=9&k=2'],
    ['http://u/v1?api-version=1', 'api%2Dversion=9', '/v1/x?api%2Dversion=9'],
    ['http://u/v1?k=1', '%zz=1', '/v1/x?%zz=1&k=1'],
  ]
  for (const [base, query, expected] of table)
    assert.equal(gatewayTarget(base).path('/v1/x', query), expected, `${base} ? ${query}`)
})
