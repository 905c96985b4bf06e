import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumIn } from '../helpers/exposition.ts'
import { requestBytes } from '../helpers/raw-client.ts'
import { assertLive, assertOutcomes, startReplay } from '../helpers/replay.ts'

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const raw = Buffer.from('/v1/模型?q=é').toString('latin1')

const kept: readonly { name: string; target: string; at?: string }[] = [
  { name: 'a slash that is escaped', target: '/v1/models/meta-llama%2FLlama-3' },
  { name: 'a backslash that is escaped', target: '/v1/models/a%5Cb' },
  { name: 'escapes in upper and lower case', target: '/v1/%E6%A8%A1/%e6%a8%a1' },
  { name: 'an escape that need not be', target: '/v1/%61%7E%2D' },
  { name: 'parameters of a segment', target: '/v1/a;b=c' },
  { name: 'an empty query', target: '/v1/x?' },
  { name: 'every kind of query', target: '/v1/a%20b?x=%2F&y=a+b&z=//q&w=?&v=..&u' },
  { name: 'an escape that is none', target: '/v1/%zz' },
  { name: 'half an escape', target: '/v1/100%' },
  { name: 'a long path', target: `/v1/${'a'.repeat(8192)}` },
  { name: 'a key twice', target: '/v1/x?a=1&a=2' },
  { name: 'characters that browsers escape', target: '/v1/x"<>^`{|}[]' },
  { name: 'a colon, an at sign, a star', target: "/v1/files/a:b@c*d!$(),'" },
  { name: 'a double slash inside', target: '/v1//models' },
  { name: 'a slash at the end', target: '/v1/models/' },
  { name: 'dots that are no segment', target: '/v1/...' },
  { name: 'dots inside a segment', target: '/v1/a..b/.c/d.' },
  { name: 'the root', target: '/' },
  { name: 'a query on the root', target: '/?a=b' },
  { name: 'a word that objects have', target: '/constructor/__proto__' },
  { name: 'a path of Fastify', target: '/passthrough' },
  { name: 'another path of Fastify', target: '/generation' },
  { name: 'a third path of Fastify', target: '/refused' },
  { name: 'a path that looks like a parameter', target: '/v1/:id/*' },
  { name: 'the absolute form', target: 'http://elsewhere.example/v1/models?a=b', at: '/v1/models?a=b' },
  { name: 'the absolute form without a path', target: 'http://elsewhere.example', at: '/' },
  { name: 'the absolute form with a query and no path', target: 'http://elsewhere.example?a=b', at: '/?a=b' },
]

for (const { name, target, at = target } of kept) {
  test(`B38 ${name}: ${target.slice(0, 40)} reaches the gateway as it is`, async (t) => {
    const replay = await startReplay(t, (_request, connection) => connection.write(ok))
    for (const method of ['GET', 'POST']) {
      const got = await (
        await replay.ask(requestBytes({ method, target, ...(method === 'POST' && { body: '{}' }) }))
      ).over()
      assert.equal(got.status, 200, got.body.toString())
    }
    assert.deepEqual(
      replay.gateway.requests.map((request) => request.head?.startLine),
      [`GET ${at} HTTP/1.1`, `POST ${at} HTTP/1.1`],
    )
    await assertOutcomes(replay.proxy, 'ok', 'ok')
    const metrics = await replay.proxy.metrics()
    assert.equal(sumIn(metrics, 'streamgauge_requests_total', { operation: 'passthrough' }), 2)
    assert.ok(!metrics.includes('meta-llama') && !metrics.includes('%'))
    await assertLive(replay)
  })
}

const refused: readonly { name: string; target: string }[] = [
  { name: 'two slashes first', target: '//v1/models' },
  { name: 'a host by two slashes', target: '//evil.example/v1/models' },
  { name: 'a segment that goes up', target: '/v1/../v1/models' },
  { name: 'a segment that goes up, escaped', target: '/v1/%2e%2E/v1/models' },
  { name: 'a segment that goes up, half escaped', target: '/v1/.%2e/models' },
  { name: 'a segment that goes up, last', target: '/v1/..' },
  { name: 'a segment that goes nowhere', target: '/v1/./models' },
  { name: 'a backslash', target: '/v1\\..\\models' },
  { name: 'a fragment', target: '/v1/models#x' },
  { name: 'a segment that goes up after an app', target: '/@app/../v1/models' },
  { name: 'a segment that goes up with a parameter', target: '/v1/..;/models' },
  { name: 'a segment that goes up behind an escaped slash', target: '/v1/models/..%2F..%2Fx' },
  { name: 'a segment that goes up behind an escaped backslash', target: '/v1/models%5C..' },
  { name: 'bytes beyond ASCII', target: raw },
  { name: 'the star', target: '*' },
  { name: 'an authority', target: 'example.com:443' },
  { name: 'another scheme', target: 'ftp://elsewhere.example/v1/models' },
  { name: 'the absolute form with a segment that goes up', target: 'http://a.example/v1/../x' },
  { name: 'the absolute form with two slashes', target: 'http://a.example//v1/models' },
  { name: 'a control character', target: '/v1/\x01' },
  { name: 'DEL', target: '/v1/\x7f' },
  { name: 'no path at all', target: '?a=b' },
  { name: 'a word', target: 'models' },
]

for (const { name, target } of refused) {
  test(`B38 ${name}: ${JSON.stringify(target)} is refused`, async (t) => {
    const replay = await startReplay(t, () => {})
    const got = await (await replay.ask(requestBytes({ method: target === '*' ? 'OPTIONS' : 'GET', target }))).over()
    assert.equal(got.status, 400)
    assert.match(got.body.toString(), /^\{"error":\{"message":"Streamgauge: .*"code":"(bad_path|bad_request)"/)
    await assertOutcomes(replay.proxy, 'rejected')
    assert.equal(replay.gateway.connections.length, 0)
    await assertLive(replay)
  })
}
