import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { TlsOptions } from 'node:tls'
import { type Authority, createAuthority, expired, selfSigned } from '../helpers/certificates.ts'
import { startProxy } from '../helpers/proxy-under-test.ts'
import { openRawClient } from '../helpers/raw-client.ts'
import { startRawGateway } from '../helpers/raw-gateway.ts'
import {
  assertExact,
  assertOutcomes,
  chatRequest,
  ordinaryBody,
  ordinaryStream,
  streamHead,
} from '../helpers/replay.ts'
import { serveProcess } from '../helpers/served-process.ts'
import { requireTool } from '../helpers/tools.ts'

const canary = 'sk-canary-b50-never-leaves'
const request = chatRequest([`authorization: Bearer ${canary}`])

/** A gateway behind TLS, and what a client of the proxy gets of it. */
async function behind(
  t: TestContext,
  tls: TlsOptions,
  { host = 'localhost', ca = '', insecure = false }: { host?: string; ca?: string; insecure?: boolean } = {},
) {
  const gateway = await startRawGateway(t, ordinaryStream, { tls })
  const url = `https://${host}:${gateway.port}/v1`
  const proxy = await startProxy(t, url, { config: { gateways: [{ tls: { ca, insecure } }] } })
  const answer = (await openRawClient(t, proxy.url)).ask(request)
  return { gateway, proxy, answer, got: await answer.over() }
}

const good = (authority: Authority): TlsOptions => authority.issue('DNS:localhost, IP:127.0.0.1')

interface Refused {
  readonly name: string
  readonly tls: (authority: Authority, t: TestContext) => TlsOptions
  /** Trusts the authority, so that only what is named is wrong. */
  readonly trusting?: boolean
  readonly host?: string
  readonly code: RegExp
}

const refused: readonly Refused[] = [
  { name: 'self-signed', tls: (_, t) => selfSigned(t, 'DNS:localhost'), code: /DEPTH_ZERO_SELF_SIGNED_CERT/ },
  { name: 'a private authority that nobody trusts', tls: good, code: /UNABLE_TO_VERIFY_LEAF_SIGNATURE/ },
  {
    name: 'self-signed, beside a trusted authority',
    tls: (_, t) => selfSigned(t, 'DNS:localhost'),
    trusting: true,
    code: /SELF_SIGNED/,
  },
  {
    name: 'expired',
    tls: (authority) => authority.issue('DNS:localhost', expired),
    trusting: true,
    code: /CERT_HAS_EXPIRED/,
  },
  {
    name: 'not valid yet',
    tls: (authority) => authority.issue('DNS:localhost', { from: '20980101000000Z', to: '20990101000000Z' }),
    trusting: true,
    code: /CERT_NOT_YET_VALID/,
  },
  {
    name: 'for another name',
    tls: (authority) => authority.issue('DNS:other.example.test'),
    trusting: true,
    code: /ERR_TLS_CERT_ALTNAME_INVALID/,
  },
  {
    name: 'for another address',
    tls: (authority) => authority.issue('IP:127.0.0.2, DNS:localhost'),
    trusting: true,
    host: '127.0.0.1',
    code: /ERR_TLS_CERT_ALTNAME_INVALID/,
  },
  {
    name: 'old TLS alone',
    tls: (authority) => ({
      ...good(authority),
      minVersion: 'TLSv1.1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    }),
    trusting: true,
    code: /ERR_SSL_|EPROTO/,
  },
]

for (const { name, tls, trusting, host, code } of refused) {
  test(`B50 ${name}: 502 that names the TLS code, and not one byte of the request`, async (t) => {
    if (!requireTool(t, 'openssl')) return
    const authority = createAuthority(t)
    const where = { host: host ?? 'localhost', ca: trusting === true ? authority.file : '' }
    const { gateway, proxy, got } = await behind(t, tls(authority, t), where)
    assert.equal(got.status, 502)
    const { error } = JSON.parse(got.body.toString()) as { error: { code: string; message: string } }
    assert.equal(error.code, 'tls')
    assert.match(error.message, code)
    const [record] = await assertOutcomes(proxy, 'gateway_error')
    assert.equal(record?.error, 'tls')
    assert.equal(Buffer.concat(gateway.connections.map((connection) => connection.received())).length, 0)
    assert.equal(gateway.requests.length, 0)
  })
}

test('B50 a client certificate is asked: 502, and no request is answered', async (t) => {
  if (!requireTool(t, 'openssl')) return
  const authority = createAuthority(t)
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const tls = { ...good(authority), requestCert: true, rejectUnauthorized: true, ca: authority.certificate }
    const { gateway, proxy, got } = await behind(
      t,
      { ...tls, minVersion: version, maxVersion: version },
      { ca: authority.file },
    )
    assert.equal(got.status, 502, version)
    assert.match(got.body.toString(), /"code":"tls"/)
    assert.match(got.body.toString(), /ERR_SSL_\S*ALERT_(HANDSHAKE_FAILURE|CERTIFICATE_REQUIRED)/)
    const [record] = await assertOutcomes(proxy, 'gateway_error')
    assert.equal(record?.error, 'tls')
    assert.equal(gateway.requests.length, 0)
  }
})

test('B50 a gateway that speaks no TLS gets no byte of the request', async (t) => {
  const received: Buffer[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes: Buffer) => {
      received.push(bytes)
      socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n')
    })
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const proxy = await startProxy(t, `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
  const got = await (await openRawClient(t, proxy.url)).ask(request).over()
  assert.equal(got.status, 502)
  assert.match(got.body.toString(), /"code":"tls"/)
  await assertOutcomes(proxy, 'gateway_error')
  assert.doesNotMatch(Buffer.concat(received).toString('latin1'), /canary|POST/)
})

test('B50 a handshake that never ends: 504 by the connect limit', async (t) => {
  const server = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const proxy = await startProxy(t, url, { config: { gateways: [{ timeouts: { connect: 300 } }] } })
  const got = await (await openRawClient(t, proxy.url)).ask(request).over()
  assert.equal(got.status, 504)
  assert.match(got.body.toString(), /timeouts\.connect\. \(300ms\)/)
  await assertOutcomes(proxy, 'gateway_timeout')
})

for (const [name, versions] of [
  ['TLS 1.3', {}],
  ['TLS 1.2 alone', { maxVersion: 'TLSv1.2' }],
] as const) {
  test(`B50 a private authority in tls.ca, ${name}: EXACT`, async (t) => {
    if (!requireTool(t, 'openssl')) return
    const authority = createAuthority(t)
    for (const host of ['localhost', '127.0.0.1']) {
      const { answer, proxy } = await behind(t, { ...good(authority), ...versions }, { host, ca: authority.file })
      await assertExact(answer, { head: streamHead(), body: ordinaryBody })
      await assertOutcomes(proxy, 'ok')
    }
  })
}

test('B50 tls.insecure accepts any certificate', async (t) => {
  if (!requireTool(t, 'openssl')) return
  const { answer, proxy } = await behind(t, selfSigned(t, 'DNS:other.example.test'), { insecure: true })
  await assertExact(answer, { head: streamHead(), body: ordinaryBody })
  await assertOutcomes(proxy, 'ok')
})

async function statusThrough(t: TestContext, gatewayUrl: string, options: Parameters<typeof serveProcess>[2]) {
  const served = await serveProcess(t, gatewayUrl, options)
  const got = await (await openRawClient(t, served.proxyUrl)).ask(request).over()
  return { served, got }
}

test('B50 NODE_EXTRA_CA_CERTS is honoured, alone and beside tls.ca', async (t) => {
  if (!requireTool(t, 'openssl')) return
  const authority = createAuthority(t)
  const other = createAuthority(t)
  const gateway = await startRawGateway(t, ordinaryStream, { tls: good(authority) })
  const env = { NODE_EXTRA_CA_CERTS: authority.file }
  for (const more of [{}, { gateway: `tls: { ca: "${other.file}" }` }]) {
    const { got } = await statusThrough(t, `https://localhost:${gateway.port}/v1`, { env, ...more })
    assert.deepEqual([got.status, got.body.toString()], [200, ordinaryBody])
  }
})

test('B50 NODE_TLS_REJECT_UNAUTHORIZED=0 switches nothing off', async (t) => {
  if (!requireTool(t, 'openssl')) return
  const gateway = await startRawGateway(t, ordinaryStream, { tls: selfSigned(t, 'DNS:localhost') })
  const { got } = await statusThrough(t, `https://localhost:${gateway.port}/v1`, {
    env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
  })
  assert.equal(got.status, 502)
  assert.equal(gateway.requests.length, 0)
})

test('B50 insecure is warned of at start, by the name of the gateway', async (t) => {
  if (!requireTool(t, 'openssl')) return
  const gateway = await startRawGateway(t, ordinaryStream, { tls: selfSigned(t, 'DNS:localhost') })
  const { served, got } = await statusThrough(t, `https://localhost:${gateway.port}/v1`, {
    gateway: 'tls: { insecure: true }',
  })
  assert.equal(got.status, 200)
  const warning = served.lines().find(({ msg }) => String(msg).startsWith('tls.insecure'))
  assert.deepEqual([warning?.['level'], warning?.['gateway']], [40, 'default'])
})
