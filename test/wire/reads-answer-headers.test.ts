import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAnswerHeaders } from '../../src/wire/answer-headers.ts'

const nothing = {
  provider: undefined,
  servedModel: undefined,
  responseCache: false,
  costUsd: undefined,
  gatewayRequestId: undefined,
}

test('headers that say nothing', () => {
  assert.deepEqual(readAnswerHeaders({}), nothing)
  assert.deepEqual(
    readAnswerHeaders({ 'content-type': 'text/event-stream', 'x-request-id': ' ', toString: undefined }),
    nothing,
  )
})

test('Portkey: provider, its cache, its trace', () => {
  const read = (status: string): object =>
    readAnswerHeaders({ 'x-portkey-provider': 'openai', 'x-portkey-cache-status': status, 'x-portkey-trace-id': 't-1' })
  const said = { ...nothing, provider: 'openai', gatewayRequestId: 't-1' }
  for (const status of ['HIT', 'SEMANTIC HIT', 'hit'])
    assert.deepEqual(read(status), { ...said, responseCache: true }, status)
  for (const status of ['MISS', 'SEMANTIC MISS', 'DISABLED', 'REFRESH', 'HITS'])
    assert.deepEqual(read(status), said, status)
})

test('LiteLLM: call, cost, model group, and a cache key where its cache answered', () => {
  const headers = {
    'x-litellm-call-id': 'c-1',
    'x-litellm-model-group': 'small-chat',
    'x-litellm-model-api-base': 'https://api.openai.com',
    'x-litellm-response-cost': '1.26e-05',
  }
  const said = { ...nothing, servedModel: 'small-chat', costUsd: 0.0000126, gatewayRequestId: 'c-1' }
  assert.deepEqual(readAnswerHeaders(headers), said)
  assert.deepEqual(readAnswerHeaders({ ...headers, 'x-litellm-cache-key': 'k' }), { ...said, responseCache: true })
})

test('a cost that is no amount is none', () => {
  for (const cost of ['None', '', '-1', 'NaN', 'Infinity', '1e999', '0x10', '1,5']) {
    assert.equal(readAnswerHeaders({ 'x-litellm-response-cost': cost }).costUsd, undefined, cost)
  }
  assert.equal(readAnswerHeaders({ 'x-litellm-response-cost': '0.0' }).costUsd, 0)
})

test('other gateways', () => {
  assert.equal(readAnswerHeaders({ 'cf-aig-cache-status': 'HIT' }).responseCache, true)
  assert.equal(readAnswerHeaders({ 'helicone-cache': 'HIT' }).responseCache, true)
  assert.equal(readAnswerHeaders({ 'x-openrouter-cache-status': 'HIT' }).responseCache, true)
  assert.equal(readAnswerHeaders({ 'cf-cache-status': 'HIT' }).responseCache, false)
  assert.equal(readAnswerHeaders({ 'x-inference-provider': 'together' }).provider, 'together')
  assert.equal(readAnswerHeaders({ 'x-ms-deployment-name': 'chat-small' }).servedModel, 'chat-small')
  assert.equal(readAnswerHeaders({ 'ngrok-aig-model': 'gpt' }).servedModel, 'gpt')
  for (const name of ['x-request-id', 'request-id', 'x-generation-id', 'apim-request-id', 'x-ds-trace-id', 'cf-ray']) {
    assert.equal(readAnswerHeaders({ [name]: 'r-1' }).gatewayRequestId, 'r-1', name)
  }
  assert.equal(readAnswerHeaders({ 'cf-ray': 'ray', 'x-request-id': 'own' }).gatewayRequestId, 'own')
})

test('of repeated lines the first counts; values are cut, and control characters replaced', () => {
  assert.equal(readAnswerHeaders({ 'x-portkey-provider': ['a', 'b'] }).provider, 'a')
  assert.equal(readAnswerHeaders({ 'x-portkey-provider': `${'p'.repeat(70)}` }).provider, 'p'.repeat(64))
  assert.equal(readAnswerHeaders({ 'x-portkey-provider': 'a\tb' }).provider, 'a·b')
})
