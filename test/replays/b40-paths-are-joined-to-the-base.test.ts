import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProxy } from '../helpers/proxy-under-test.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { startRawGateway } from '../helpers/raw-gateway.ts'

/** What each client path becomes, by base URL; a number is the status of a refusal. */
const table: readonly { readonly base: string; readonly paths: Readonly<Record<string, string | number>> }[] = [
  // No /v1 at its end: the client's is replaced by what stands there, nothing (as for https://api.perplexity.ai).
  {
    base: '',
    paths: {
      '/v1/chat/completions': '/chat/completions',
      '/chat/completions': '/chat/completions',
      '/v1/': '/',
      '/v1': '/',
      '//chat/completions': 400,
    },
  },
  {
    base: '/',
    paths: { '/v1/chat/completions': '/chat/completions', '/v1/v1/x': '/v1/x', '//chat/completions': 400 },
  },
  {
    base: '/v1',
    paths: {
      '/v1/chat/completions': '/v1/chat/completions',
      '/chat/completions': '/chat/completions',
      '/v1/': '/v1/',
      '/v1': '/v1',
      '//chat/completions': 400,
    },
  },
  {
    base: '/v1/',
    paths: {
      '/v1/chat/completions': '/v1/chat/completions',
      '/chat/completions': '/chat/completions',
      '/v1/': '/v1/',
      '//chat/completions': 400,
    },
  },
  {
    base: '/api/v1',
    paths: {
      '/v1/chat/completions': '/api/v1/chat/completions',
      '/chat/completions': '/api/chat/completions',
      '/v1/': '/api/v1/',
      '//chat/completions': 400,
    },
  },
  {
    base: '/v1beta/openai/',
    paths: {
      '/v1/chat/completions': '/v1beta/openai/chat/completions',
      '/chat/completions': '/v1beta/openai/chat/completions',
      '/v1': '/v1beta/openai',
      '/v1/': '/v1beta/openai/',
    },
  },
  {
    base: '/openai/deployments/D',
    paths: {
      '/v1/chat/completions?api-version=1': '/openai/deployments/D/chat/completions?api-version=1',
      '/v1/v1/x': '/openai/deployments/D/v1/x',
    },
  },
]

for (const { base, paths } of table) {
  test(`B40 base URL with path "${base}"`, async (t) => {
    const gateway = await startRawGateway(t, (_request, connection) =>
      connection.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'),
    )
    const proxy = await startProxy(t, `http://127.0.0.1:${gateway.port}${base}`)
    const seen: Record<string, string | number> = {}
    for (const path of Object.keys(paths)) {
      const before = gateway.requests.length
      const got = await (await openRawClient(t, proxy.url))
        .ask(requestBytes({ method: 'POST', target: path, body: '{}' }))
        .over()
      seen[path] = got.status === 200 ? (gateway.requests[before]?.head?.startLine.split(' ')[1] as string) : got.status
    }
    assert.deepEqual(seen, paths)
  })
}

test('B40 an app and a gateway in the path are taken off before the join', async (t) => {
  const gateway = await startRawGateway(t, (_request, connection) =>
    connection.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'),
  )
  const proxy = await startProxy(t, `http://127.0.0.1:${gateway.port}/api/v1`, {
    config: { gateways: [{ name: 'one' }, { name: 'two' }] },
  })
  for (const [target, at] of [
    ['/@shop/v1/models', '/api/v1/models'],
    ['/@shop/two/v1/models?a=b', '/api/v1/models?a=b'],
    ['/two/v1/models', '/api/v1/models'],
    ['/@shop', '/api/'],
    ['/one', '/api/'],
    ['/twofold/v1/models', '/api/twofold/v1/models'],
    ['/@a%20b/v1/models', '/api/v1/models'],
  ]) {
    const got = await (await openRawClient(t, proxy.url)).ask(requestBytes({ target: target as string })).over()
    assert.equal(got.status, 200)
    assert.equal(gateway.requests.at(-1)?.head?.startLine, `GET ${at} HTTP/1.1`, target)
  }
  const hostile = ['/@shop//v1/models', '/two//v1/models', '/@shop/two//evil.example/x']
  for (const target of hostile) {
    const got = await (await openRawClient(t, proxy.url)).ask(requestBytes({ target })).over()
    assert.equal(got.status, 400, target)
  }
})

test('B40 a 404 to a path with a doubled segment gives one hint', async (t) => {
  const hints: string[] = []
  const gateway = await startRawGateway(t, (_request, connection) =>
    connection.write('HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}'),
  )
  const proxy = await startProxy(t, `http://127.0.0.1:${gateway.port}/api/v1`, {
    onHint: (hint) => void hints.push(hint),
  })
  const ask = async (target: string): Promise<void> => {
    const got = await (await openRawClient(t, proxy.url)).ask(requestBytes({ target })).over()
    assert.equal(got.status, 404)
  }
  await ask('/v1/models')
  assert.deepEqual(hints, [])
  await ask('/v1/v1/models?key=secret')
  await ask('/v1/v1/models')
  assert.equal(hints.length, 1)
  assert.match(hints[0] ?? '', /"\/v1\/v1"/)
  assert.doesNotMatch(hints[0] ?? '', /secret/)
})
