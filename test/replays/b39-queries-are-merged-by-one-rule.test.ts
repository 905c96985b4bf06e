import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProxy } from '../helpers/proxy-under-test.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { startRawGateway } from '../helpers/raw-gateway.ts'
import { assertOutcomes, chatBody, ordinaryStream } from '../helpers/replay.ts'

const azure = '/openai/deployments/d/chat/completions'

for (const { own, client, expected } of [
  { own: '', client: '?api-version=2024-10-21', expected: '?api-version=2024-10-21' },
  { own: '?api-version=2025-01-01', client: '?api-version=2024-10-21', expected: '?api-version=2024-10-21' },
  { own: '?api-version=2025-01-01', client: '', expected: '?api-version=2025-01-01' },
  { own: '?api-version=2025-01-01', client: '?', expected: '?api-version=2025-01-01' },
  { own: '?x=1', client: '?api-version=2024-10-21', expected: '?api-version=2024-10-21&x=1' },
  { own: '?x=1&y=2', client: '?y=3&y=4', expected: '?y=3&y=4&x=1' },
  { own: '?x=1', client: '?X=2', expected: '?X=2&x=1' },
  { own: '?x=1', client: '?%78=2', expected: '?%78=2' },
  { own: '?a+b=1', client: '?a%20b=2&c=%2F+d', expected: '?a%20b=2&c=%2F+d' },
  { own: '?x=1', client: '?x', expected: '?x' },
  { own: '', client: '?a=1&&b', expected: '?a=1&&b' },
]) {
  for (const { kind, target } of [
    { kind: 'a generation', target: azure },
    { kind: 'passed through', target: '/openai/models' },
  ]) {
    test(`B39 the gateway has "${own}", the client "${client}", ${kind}: "${expected}"`, async (t) => {
      const gateway = await startRawGateway(t, ordinaryStream)
      const proxy = await startProxy(t, `http://127.0.0.1:${gateway.port}${own === '' ? '' : `/${own}`}`)
      const bytes = requestBytes({ method: 'POST', target: target + client, body: chatBody })
      assert.equal((await (await openRawClient(t, proxy.url)).ask(bytes).over()).status, 200)
      assert.equal((await gateway.request(0)).head?.startLine, `POST ${target}${expected} HTTP/1.1`)
      const [record] = await assertOutcomes(proxy, 'ok')
      assert.equal(record?.identity.operation, kind === 'a generation' ? 'chat' : undefined)
      assert.equal(record?.identity.path, target, 'a query is never recorded')
    })
  }
}
