import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ConfigChanges } from '../helpers/proxy-under-test.ts'
import { requestBytes } from '../helpers/raw-client.ts'
import type { RawMessage } from '../helpers/raw-http.ts'
import { chatBody, ordinaryStream, type Replay, startReplay } from '../helpers/replay.ts'

const secret = 'sk-canary-9f2c51'
const own = 'sk-gateway-own-77aa'
const names = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']
const kinds = [
  { kind: 'a generation', target: '/v1/chat/completions' },
  { kind: 'passed through', target: '/v1/embeddings' },
]

/** Every credential of a request, as `name: value`, in order, and those of its query. */
function credentialsOf(request: RawMessage): string[] {
  const lines = request.head?.lines.filter(([name]) => names.includes(name.toLowerCase())) ?? []
  const query = request.head?.startLine.split(' ')[1]?.split('?')[1] ?? ''
  return [...lines.map(([name, value]) => `${name}: ${value}`), ...query.split('&').filter((pair) => /key=/.test(pair))]
}

/** The secret is nowhere that people or machines look. */
async function assertHidden({ proxy }: Replay, ...secrets: string[]): Promise<void> {
  const pages = ['', 'live', 'metrics', 'healthz', 'readyz'].map(async (path) => {
    const answer = await fetch(new URL(path, proxy.service.adminUrl), { signal: AbortSignal.timeout(500) }).catch(
      () => undefined,
    )
    return answer?.headers.get('content-type')?.startsWith('text/event-stream') ? '' : ((await answer?.text()) ?? '')
  })
  const everything = [
    JSON.stringify(proxy.log),
    JSON.stringify(proxy.measurements),
    JSON.stringify(proxy.faults),
    ...(await Promise.all(pages)),
  ].join('\n')
  for (const text of secrets) assert.ok(!everything.includes(text), `${text} is told`)
}

async function send(t: TestContext, target: string, lines: readonly string[], config: ConfigChanges = {}) {
  const replay = await startReplay(t, ordinaryStream, { config })
  const answer = await (await replay.ask(requestBytes({ method: 'POST', target, lines, body: chatBody }))).over()
  assert.equal(answer.status, 200)
  return { replay, sent: credentialsOf(await replay.gateway.request(0)) }
}

for (const { kind, target } of kinds) {
  for (const { name, lines, query = '', expected = lines } of [
    { name: 'only Authorization', lines: [`Authorization: Bearer ${secret}`] },
    { name: 'only x-api-key', lines: [`x-api-key: ${secret}`] },
    { name: 'both, different', lines: [`Authorization: Bearer ${secret}`, `x-api-key: other-${secret}`] },
    { name: 'api-key', lines: [`api-key: ${secret}`] },
    { name: 'x-goog-api-key', lines: [`x-goog-api-key: ${secret}`] },
    { name: 'odd case and two spaces', lines: [`AUTHORIZATION: bEARER  ${secret}`] },
    { name: 'basic', lines: [`authorization: Basic ${secret}`] },
    { name: 'two lines', lines: [`authorization: Bearer ${secret}`, `authorization: Bearer 2-${secret}`] },
    { name: 'a key in the query', lines: [], query: `?key=${secret}`, expected: [`key=${secret}`] },
    { name: 'none', lines: [] },
    { name: 'a dummy key where the gateway has none of its own', lines: ['authorization: Bearer dummy'] },
  ]) {
    test(`B25 ${name}, ${kind}: exactly that reaches the gateway, and nobody else`, async (t) => {
      const { replay, sent } = await send(t, target + query, lines)
      assert.deepEqual(sent, expected)
      await assertHidden(replay, secret)
    })
  }

  const withKey: ConfigChanges = { gateways: [{ apiKey: own }] }
  for (const { name, lines, query = '', expected } of [
    { name: 'none was sent', lines: [], expected: [`authorization: Bearer ${own}`] },
    { name: 'a dummy was sent', lines: ['authorization: Bearer dummy'], expected: [`authorization: Bearer ${own}`] },
    { name: 'a dummy was sent as x-api-key', lines: ['x-api-key: none'], expected: [`authorization: Bearer ${own}`] },
    {
      name: 'two dummies were sent',
      lines: ['x-api-key: none', 'authorization: Bearer dummy'],
      expected: [`authorization: Bearer ${own}`],
    },
    { name: 'an empty Bearer was sent', lines: ['authorization: Bearer '], expected: [`authorization: Bearer ${own}`] },
    {
      name: "the client's own was sent",
      lines: [`authorization: Bearer ${secret}`],
      expected: [`authorization: Bearer ${secret}`],
    },
    {
      name: "the client's own was sent beside a dummy",
      lines: ['authorization: Bearer dummy', `x-api-key: ${secret}`],
      expected: [`x-api-key: ${secret}`],
    },
    { name: "the client's own was sent in the query", lines: [], query: `?key=${secret}`, expected: [`key=${secret}`] },
  ]) {
    test(`B25 the gateway's key fills in, ${kind}: ${name}`, async (t) => {
      const { replay, sent } = await send(t, target + query, lines, withKey)
      assert.deepEqual(sent, expected)
      await assertHidden(replay, secret, own)
    })
  }

  test(`B25 a credential in headers replaces the client's, wherever that stood, ${kind}`, async (t) => {
    for (const { lines, query } of [
      { lines: [`authorization: Bearer ${secret}`, `x-api-key: ${secret}`], query: '' },
      { lines: [`x-goog-api-key: ${secret}`], query: `?a=1&key=${secret}&b=2` },
    ]) {
      const { replay, sent } = await send(t, target + query, lines, {
        gateways: [{ headers: { authorization: `Bearer ${own}` } }],
      })
      assert.deepEqual(sent, [`authorization: Bearer ${own}`])
      assert.ok(!replay.gateway.connections.some(({ received }) => received().includes(secret)))
      if (query !== '') assert.match(replay.gateway.requests[0]?.head?.startLine ?? '', /\?a=1&b=2 /)
    }
  })
}

test('B25 the key of a gateway goes where the operation wants it', async (t) => {
  const { sent } = await send(t, '/v1/messages', [], { gateways: [{ apiKey: own }] })
  assert.deepEqual(sent, [`x-api-key: ${own}`])
})

test('B25 errors of the proxy name no key', async (t) => {
  const replay = await startReplay(t, (_request, connection) => connection.reset(), {
    config: { proxy: { maxBodyBytes: 1024 } },
  })
  const lines = [`authorization: Bearer ${secret}`, `x-api-key: ${secret}`]
  for (const { bytes, status } of [
    { bytes: requestBytes({ target: `/v1/chat/completions?key=${secret}`, lines, body: chatBody }), status: 502 },
    { bytes: requestBytes({ target: `/v1/models?key=${secret}`, lines }), status: 502 },
    { bytes: requestBytes({ target: '/v1/chat/completions', lines, body: 'x'.repeat(2000) }), status: 413 },
    { bytes: requestBytes({ target: `//${secret}`, lines }), status: 400 },
    { bytes: requestBytes({ lines: [...lines, `x-bad: ${secret}\0`] }), status: 400 },
    { bytes: requestBytes({ lines: [...lines, `x-long: ${secret.repeat(8000)}`] }), status: 431 },
    { bytes: requestBytes({ lines: [...lines, 'host: evil.example'] }), status: 421 },
  ]) {
    const got = await (await replay.ask(bytes)).over()
    assert.equal(got.status, status)
    assert.ok(!got.bytes.includes(secret))
  }
  await assertHidden(replay, secret)
})
