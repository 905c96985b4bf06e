import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { assertLive, assertOutcomes, chatBody, startReplay } from '../helpers/replay.ts'

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const get = requestBytes({ target: '/v1/second' })

for (const { kind, target } of [
  { kind: 'a generation', target: '/v1/chat/completions' },
  { kind: 'passed through', target: '/v1/embeddings' },
]) {
  test(`the gateway gets the second request of a connection after the answer to the first, ${kind}`, async (t) => {
    const replay = await startReplay(t, async (_request, connection, n) => {
      if (n > 0) return connection.write(ok)
      // The second one has been read by the proxy once it has answered one that came later, on another connection.
      assert.equal((await (await replay.ask(requestBytes({ target: '//' }))).over()).status, 400)
      assert.equal(replay.gateway.requests.length, 1)
      await connection.write(ok)
    })
    const client = await openRawClient(t, replay.proxy.url)
    const first = client.ask(Buffer.concat([requestBytes({ target, body: chatBody }), get, get]), 'POST')
    const [second, third] = [client.expect(), client.expect()]
    for (const answer of [first, second, third]) assert.equal((await answer.over()).status, 200)
    assert.deepEqual(replay.gateway.faults, [])
  })

  test(`a client that leaves takes its waiting requests along, each counted once, ${kind}`, async (t) => {
    const replay = await startReplay(t, () => {})
    const client = await openRawClient(t, replay.proxy.url)
    const post = requestBytes({ target, body: chatBody })
    client.ask(Buffer.concat([post, get, post]), 'POST')
    await replay.gateway.request(0)
    client.reset()
    await assertOutcomes(replay.proxy, 'client_abort', 'client_abort', 'client_abort')
    assert.equal(replay.gateway.requests.length, 1)
    await assertLive(replay)
  })

  test(`what follows a good request and is none waits with its 400, ${kind}`, async (t) => {
    const replay = await startReplay(t, (_request, connection) => connection.write(ok))
    const client = await openRawClient(t, replay.proxy.url)
    const first = client.ask(
      Buffer.concat([requestBytes({ target, body: chatBody }), Buffer.from('no request\r\n\r\n')]),
    )
    const second = client.expect()
    assert.equal((await first.over()).status, 200)
    assert.equal((await second.over()).status, 400)
    await client.closed
    await replay.proxy.measurement(1)
    assert.deepEqual(replay.proxy.measurements.map(({ outcome }) => outcome).sort(), ['ok', 'rejected'])
  })

  test(`what follows the last request of a connection is not read, and its answer arrives, ${kind}`, async (t) => {
    const replay = await startReplay(t, (_request, connection) => connection.write(ok))
    const client = await openRawClient(t, replay.proxy.url)
    const last = requestBytes({ target, lines: ['connection: close'], body: chatBody })
    const answer = client.ask(Buffer.concat([last, get]), 'POST')
    assert.equal((await answer.over()).complete, true)
    await client.closed
    await assertOutcomes(replay.proxy, 'ok')
    assert.equal(replay.gateway.requests.length, 1)
  })
}

test('a second request whose body is no HTTP is refused in its turn', async (t) => {
  const replay = await startReplay(t, (_request, connection) => connection.write(ok))
  const client = await openRawClient(t, replay.proxy.url)
  const bad = requestBytes({ method: 'POST', target: '/v1/chat/completions', lines: ['transfer-encoding: chunked'] })
  const first = client.ask(Buffer.concat([get, bad, Buffer.from('zz\r\n')]))
  const second = client.expect('POST')
  assert.equal((await first.over()).status, 200)
  assert.equal((await second.over()).status, 400)
  await client.closed
  assert.equal(replay.gateway.requests.length, 1)
})
