import assert from 'node:assert/strict'
import dns, { type LookupAddress } from 'node:dns'
import { networkInterfaces } from 'node:os'
import { type TestContext, test } from 'node:test'
import { HeldClock } from '../helpers/held-clock.ts'
import { startProxy } from '../helpers/proxy-under-test.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { type Script, startRawGateway } from '../helpers/raw-gateway.ts'
import { within } from '../helpers/raw-http.ts'
import {
  assertExact,
  chatRequest,
  ordinaryBody,
  ordinaryEvents,
  ordinaryStream,
  startReplay,
  streamHead,
  wholeAnswer,
} from '../helpers/replay.ts'

const named =
  (name: string): Script =>
  (_, connection) =>
    connection.write(wholeAnswer(name, 'text/plain'))

/** Answers for names that end in `.test`, until the test is over. */
function resolveNames(t: TestContext, addresses: () => LookupAddress[]): void {
  const { lookup } = dns
  const own = (host: string, options: { all?: boolean }, done: (...answer: unknown[]) => void): void => {
    if (!host.endsWith('.test')) {
      ;(lookup as (...words: unknown[]) => void)(host, options, done)
      return
    }
    const [found] = addresses()
    setImmediate(() => (options.all === true ? done(null, addresses()) : done(null, found?.address, found?.family)))
  }
  dns.lookup = own as unknown as typeof dns.lookup
  t.after(() => {
    dns.lookup = lookup
  })
}

async function bodyOf(t: TestContext, url: string): Promise<string> {
  return (await (await openRawClient(t, url)).ask(requestBytes()).over()).body.toString()
}

test('a name that moves is followed within a minute; what runs on the old address ends there', async (t) => {
  const held = { release: (): void => {} }
  const old = await startRawGateway(t, async (request, connection) => {
    if (request.head?.startLine.startsWith('GET')) return connection.write(wholeAnswer('old', 'text/plain'))
    await connection.write(streamHead())
    await connection.chunk(ordinaryEvents.slice(0, 3).join(''))
    await new Promise<void>((resolve) => {
      held.release = resolve
    })
    await connection.chunk(ordinaryEvents.slice(3).join(''))
    await connection.last()
  })
  const moved = await startRawGateway(t, named('new'), { host: '127.0.0.2', port: old.port })
  let address = '127.0.0.1'
  resolveNames(t, () => [{ address, family: 4 }])
  const clock = new HeldClock()
  const proxy = await startProxy(t, `http://gateway.test:${old.port}/v1`, { clock, idle: clock })
  const stream = (await openRawClient(t, proxy.url)).ask(chatRequest())
  await stream.seen(ordinaryEvents[2] as string)
  assert.equal(await bodyOf(t, proxy.url), 'old')
  address = '127.0.0.2'
  clock.set(59_000)
  assert.equal(await bodyOf(t, proxy.url), 'old', 'the connection is kept for a minute')
  clock.set(61_000)
  assert.equal(await bodyOf(t, proxy.url), 'new')
  held.release()
  await assertExact(stream, { head: streamHead(), body: ordinaryBody })
  // Nothing is left of the old connections.
  for (const connection of old.connections) await within(connection.closed, 'the end of an old connection')
  assert.equal(moved.connections.length, 1)
})

test('a name with several addresses: the one that answers is used', async (t) => {
  const gateway = await startRawGateway(t, named('here'), { host: '127.0.0.3' })
  resolveNames(t, () => [
    { address: '127.0.0.2', family: 4 },
    { address: '127.0.0.3', family: 4 },
  ])
  const proxy = await startProxy(t, `http://gateway.test:${gateway.port}/v1`)
  assert.equal(await bodyOf(t, proxy.url), 'here')
})

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))

for (const { name, host, order } of [
  { name: 'IPv6 first, and nobody there', host: '127.0.0.1', order: ['::1', '127.0.0.1'] },
  { name: 'IPv4 first, and nobody there', host: '::1', order: ['127.0.0.1', '::1'] },
]) {
  test(`a name of both families: ${name}`, async (t) => {
    if (!hasIpv6) return t.skip('this machine has no IPv6')
    const gateway = await startRawGateway(t, named('here'), { host })
    resolveNames(t, () => order.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })))
    const proxy = await startProxy(t, `http://gateway.test:${gateway.port}/v1`)
    assert.equal(await bodyOf(t, proxy.url), 'here')
  })
}

test('addresses of IPv6 stand in brackets, for the gateway and for the proxy', async (t) => {
  if (!hasIpv6) return t.skip('this machine has no IPv6')
  const gateway = await startRawGateway(t, ordinaryStream, { host: '::1' })
  const proxy = await startProxy(t, `http://[::1]:${gateway.port}/v1`, { config: { proxy: { host: '::1' } } })
  assert.match(proxy.url, /^http:\/\/\[::1\]:\d+$/)
  const { port } = new URL(proxy.url)
  const got = await fetch(`http://[::1]:${port}/v1/chat/completions`, {
    method: 'POST',
    body: '{"model":"m","stream":true}',
  })
  assert.equal(await got.text(), ordinaryBody)
  assert.deepEqual(gateway.requests[0]?.values('host'), [`[::1]:${gateway.port}`])
})

test('idle connections are used again, for an hour of traffic a new one every minute', async (t) => {
  const clock = new HeldClock()
  const gateway = await startRawGateway(t, named('x'))
  const proxy = await startProxy(t, gateway.url, { clock, idle: clock })
  for (let second = 0; second < 600; second += 5) {
    clock.set(second * 1000)
    await bodyOf(t, proxy.url)
  }
  assert.ok(gateway.connections.length <= 11, `${gateway.connections.length} connections`)
  for (const connection of gateway.connections.slice(0, -1))
    await within(connection.closed, 'the end of an old connection')
})

test('a gateway that comes back is used at once', async (t) => {
  const replay = await startReplay(t, named('first'))
  const { port } = replay.gateway
  assert.equal(await bodyOf(t, replay.proxy.url), 'first')
  await replay.gateway.close()
  assert.match(await bodyOf(t, replay.proxy.url), /"code":"refused"/)
  await startRawGateway(t, named('second'), { port })
  assert.equal(await bodyOf(t, replay.proxy.url), 'second')
})
