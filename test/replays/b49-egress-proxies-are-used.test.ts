import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type Authority, createAuthority } from '../helpers/certificates.ts'
import { type ConnectProxy, type ProxyConduct, setProxies, startConnectProxy } from '../helpers/connect-proxy.ts'
import { type ConfigChanges, startProxy } from '../helpers/proxy-under-test.ts'
import { openRawClient } from '../helpers/raw-client.ts'
import { type RawGateway, startRawGateway } from '../helpers/raw-gateway.ts'
import {
  assertExact,
  assertOutcomes,
  chatRequest,
  ordinaryBody,
  ordinaryEvents,
  ordinaryStream,
  playInStep,
  streamHead,
} from '../helpers/replay.ts'
import { serveProcess } from '../helpers/served-process.ts'
import { requireTool } from '../helpers/tools.ts'

interface Way {
  readonly gateway: RawGateway
  readonly egress: ConnectProxy
  readonly authority: Authority | undefined
  readonly url: string
}

/** A gateway by a name that only the egress proxy can reach. */
async function way(t: TestContext, scheme: 'http' | 'https', credentials?: string): Promise<Way> {
  const authority = scheme === 'https' ? createAuthority(t) : undefined
  const tls = authority === undefined ? {} : { tls: authority.issue('DNS:gateway.test') }
  const gateway = await startRawGateway(t, ordinaryStream, tls)
  const egress = await startConnectProxy(t, gateway.port, credentials === undefined ? {} : { credentials })
  return { gateway, egress, authority, url: `${scheme}://gateway.test/v1` }
}

function configOf({ authority }: Pick<Way, 'authority'>, connect = 10_000): ConfigChanges {
  return { gateways: [{ tls: { ca: authority?.file ?? '' }, timeouts: { connect } }] }
}

async function askThrough(t: TestContext, url: string, config: ConfigChanges) {
  const proxy = await startProxy(t, url, { config })
  const client = await openRawClient(t, proxy.url)
  return { proxy, client }
}

const credentials = 'user:c%40nary%2Fpass'
const basic = `Basic ${Buffer.from('user:c@nary/pass').toString('base64')}`

for (const scheme of ['http', 'https'] as const) {
  test(`B49 a ${scheme} gateway through the tunnel: EXACT, in real time, credentials for the proxy alone`, async (t) => {
    if (!requireTool(t, 'openssl')) return
    const { gateway, egress, url, authority } = await way(t, scheme, credentials)
    setProxies(t, { [`${scheme.toUpperCase()}_PROXY`]: egress.url })
    const { proxy, client } = await askThrough(t, url, configOf({ authority }))
    const answer = client.expect('POST')
    gateway.script = async (_request, connection) => {
      await connection.write(streamHead())
      await playInStep(connection, () => answer, ordinaryEvents)
      await connection.last()
    }
    await client.write(chatRequest())
    await assertExact(answer, { head: streamHead(), body: ordinaryBody })
    const port = scheme === 'http' ? 80 : 443
    assert.equal(egress.asked[0]?.head?.startLine, `CONNECT gateway.test:${port} HTTP/1.1`)
    assert.deepEqual(egress.asked[0]?.values('host'), [`gateway.test:${port}`])
    assert.deepEqual(egress.asked[0]?.values('proxy-authorization'), [basic])
    assert.deepEqual(gateway.requests[0]?.values('host'), ['gateway.test'])
    assert.doesNotMatch(gateway.requests[0]?.bytes.toString('latin1') ?? '', /proxy|Basic|nary/i)
    // The tunnel is kept for the next request.
    gateway.script = ordinaryStream
    await assertExact(client.ask(chatRequest()), { head: streamHead(), body: ordinaryBody })
    assert.equal(egress.asked.length, 1)
    await assertOutcomes(proxy, 'ok', 'ok')
    assert.doesNotMatch(JSON.stringify(proxy.log) + (await proxy.metrics()), /nary/)
  })
}

const choices: readonly { name: string; env: (url: string) => Record<string, string>; used: boolean }[] = [
  { name: 'lower case', env: (url) => ({ http_proxy: url }), used: true },
  { name: 'upper case', env: (url) => ({ HTTP_PROXY: url }), used: true },
  { name: 'lower case wins', env: (url) => ({ http_proxy: url, HTTP_PROXY: 'http://127.0.0.1:9' }), used: true },
  { name: 'an empty lower case counts as unset', env: (url) => ({ http_proxy: '', HTTP_PROXY: url }), used: true },
  { name: 'ALL_PROXY', env: (url) => ({ ALL_PROXY: url }), used: true },
  { name: 'the other scheme', env: (url) => ({ HTTPS_PROXY: url }), used: false },
  { name: 'NO_PROXY names it', env: (url) => ({ HTTP_PROXY: url, NO_PROXY: '10.0.0.1, localhost' }), used: false },
  {
    name: 'no_proxy names its end',
    env: (url) => ({ HTTP_PROXY: url, no_proxy: '.svc,.localhost,localhost' }),
    used: false,
  },
  { name: 'NO_PROXY names another', env: (url) => ({ HTTP_PROXY: url, NO_PROXY: '127.0.0.1,.svc' }), used: true },
  { name: 'NO_PROXY is *', env: (url) => ({ HTTP_PROXY: url, NO_PROXY: '*' }), used: false },
]

for (const { name, env, used } of choices) {
  test(`B49 the environment: ${name}: ${used ? 'used' : 'not used'}`, async (t) => {
    const gateway = await startRawGateway(t, ordinaryStream)
    const egress = await startConnectProxy(t, gateway.port)
    setProxies(t, env(egress.url))
    const { client } = await askThrough(t, `http://localhost:${gateway.port}/v1`, {})
    await assertExact(client.ask(chatRequest()), { head: streamHead(), body: ordinaryBody })
    assert.equal(egress.asked.length, used ? 1 : 0)
  })
}

const broken: readonly { name: string; conduct: ProxyConduct; status: number; code: string; detail: RegExp }[] = [
  {
    name: '407',
    conduct: {
      answer: 'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\ncontent-length: 2\r\n\r\nno',
    },
    status: 502,
    code: 'egress_proxy',
    detail: /\(407\)/,
  },
  {
    name: '403',
    conduct: { answer: 'HTTP/1.1 403 Forbidden\r\n\r\n' },
    status: 502,
    code: 'egress_proxy',
    detail: /\(403\)/,
  },
  { name: 'it closes', conduct: 'close', status: 502, code: 'egress_proxy', detail: /\(ECONNRESET\)/ },
  {
    name: 'it speaks no HTTP',
    conduct: { answer: 'SSH-2.0-x\r\n\r\n' },
    status: 502,
    code: 'egress_proxy',
    detail: /\(HPE_/,
  },
  { name: 'it says nothing', conduct: { answer: '' }, status: 504, code: 'connect_timeout', detail: /\(1500ms\)/ },
]

for (const scheme of ['http', 'https'] as const) {
  for (const { name, conduct, status, code, detail } of broken) {
    test(`B49 a proxy that opens no tunnel, ${scheme}: ${name}: ${status}, asked once`, async (t) => {
      if (!requireTool(t, 'openssl')) return
      const { gateway, egress, url, authority } = await way(t, scheme, credentials)
      egress.conduct = conduct
      setProxies(t, { ALL_PROXY: egress.url })
      const { proxy, client } = await askThrough(t, url, configOf({ authority }, status === 504 ? 1500 : 10_000))
      const got = await client.ask(chatRequest()).over()
      assert.equal(got.status, status)
      const { error } = JSON.parse(got.body.toString()) as { error: { code: string; message: string } }
      assert.equal(error.code, code)
      assert.match(error.message, detail)
      assert.doesNotMatch(got.bytes.toString('latin1'), /nary|user|127\.0\.0\.1/)
      await assertOutcomes(proxy, status === 504 ? 'gateway_timeout' : 'gateway_error')
      assert.equal(egress.connections, 1)
      assert.equal(gateway.connections.length, 0)
      // The next one is asked for anew.
      egress.conduct = 'tunnel'
      await assertExact((await openRawClient(t, proxy.url)).ask(chatRequest()), {
        head: streamHead(),
        body: ordinaryBody,
      })
    })
  }
}

test('B49 a dead proxy: 502 that does not blame the gateway', async (t) => {
  const nobody = createServer().listen(0, '127.0.0.1')
  await once(nobody, 'listening')
  const { port } = nobody.address() as AddressInfo
  nobody.close()
  await once(nobody, 'close')
  setProxies(t, { HTTP_PROXY: `http://user:canary@127.0.0.1:${port}` })
  const { proxy, client } = await askThrough(t, 'http://gateway.test/v1', {})
  const got = await client.ask(chatRequest()).over()
  assert.equal(got.status, 502)
  assert.match(got.body.toString(), /egress proxy .*\(ECONNREFUSED\)/)
  assert.doesNotMatch(got.bytes.toString('latin1'), /canary/)
  await assertOutcomes(proxy, 'gateway_error')
})

test('B49 a CONNECT that hangs holds no other tunnel up', async (t) => {
  const { egress, url } = await way(t, 'http')
  egress.conduct = { answer: '' }
  setProxies(t, { HTTP_PROXY: egress.url })
  const { proxy, client } = await askThrough(t, url, {})
  client.ask(chatRequest())
  await egress.first
  egress.conduct = 'tunnel'
  const others = await Promise.all(
    Array.from({ length: 20 }, async () => (await openRawClient(t, proxy.url)).ask(chatRequest())),
  )
  for (const answer of others) await assertExact(answer, { head: streamHead(), body: ordinaryBody })
})

test('B49 a client that leaves while the tunnel is made is an abort, and the gateway is asked nothing', async (t) => {
  const { gateway, egress, url } = await way(t, 'http')
  egress.conduct = { answer: '' }
  setProxies(t, { HTTP_PROXY: egress.url })
  const { proxy, client } = await askThrough(t, url, configOf({ authority: undefined }, 300))
  client.ask(chatRequest())
  await egress.first
  client.reset()
  await assertOutcomes(proxy, 'client_abort')
  assert.equal(gateway.connections.length, 0)
})

test('B49 a proxy behind TLS is verified, too', async (t) => {
  if (!requireTool(t, 'openssl')) return
  const authority = createAuthority(t)
  const gateway = await startRawGateway(t, ordinaryStream)
  for (const trusted of [true, false]) {
    const egress = await startConnectProxy(t, gateway.port, { tls: authority.issue('IP:127.0.0.1'), credentials })
    setProxies(t, { HTTP_PROXY: egress.url })
    const config = { gateways: [{ tls: { ca: trusted ? authority.file : '', insecure: !trusted } }] }
    const { client } = await askThrough(t, 'http://gateway.test/v1', config)
    const got = await client.ask(chatRequest()).over()
    assert.equal(got.status, trusted ? 200 : 502)
    if (trusted) assert.equal(got.body.toString(), ordinaryBody)
    else assert.match(got.body.toString(), /\(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)/)
    assert.equal(egress.asked.length, trusted ? 1 : 0)
  }
})

test('B49 credentials that are no percent code are sent as they stand', async (t) => {
  const { egress, url } = await way(t, 'http', 'us%er:100%')
  setProxies(t, { HTTP_PROXY: egress.url })
  const { client } = await askThrough(t, url, {})
  await assertExact(client.ask(chatRequest()), { head: streamHead(), body: ordinaryBody })
  assert.deepEqual(egress.asked[0]?.values('proxy-authorization'), [
    `Basic ${Buffer.from('us%er:100%').toString('base64')}`,
  ])
})

test('B49 the start line tells of the proxy once, without its credentials', async (t) => {
  const { egress, url } = await way(t, 'http', credentials)
  const served = await serveProcess(t, url, { env: { HTTP_PROXY: egress.url } })
  assert.deepEqual(served.lines()[0]?.['egress_proxies'], { default: `http://127.0.0.1:${egress.port}` })
  const got = await (await openRawClient(t, served.proxyUrl)).ask(chatRequest()).over()
  assert.equal(got.body.toString(), ordinaryBody)
  served.kill('SIGTERM')
  await served.exited
  const said = served.stdout() + served.stderr()
  assert.equal(said.split(`127.0.0.1:${egress.port}`).length, 2)
  assert.doesNotMatch(said, /nary/)
})
