import assert from 'node:assert/strict'
import dns from 'node:dns'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { createAuthority } from '../helpers/certificates.ts'
import { startProxy } from '../helpers/proxy-under-test.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { type RawGateway, type Script, startRawGateway } from '../helpers/raw-gateway.ts'
import { chatBody } from '../helpers/replay.ts'
import { requireTool } from '../helpers/tools.ts'

const name = 'api.example.test'

/** 421 unless Host and server name are its own. */
const strict: Script = (request, connection) => {
  const { servername } = connection.socket as TLSSocket & { servername: string }
  const [host = ''] = request.values('host')
  const right = host.replace(/:\d+$/, '') === name && servername === name
  return connection.write(`HTTP/1.1 ${right ? '200 OK' : '421 Misdirected Request'}\r\ncontent-length: 2\r\n\r\nok`)
}

async function startStrict(t: TestContext): Promise<{ gateway: RawGateway; caFile: string } | undefined> {
  if (!requireTool(t, 'openssl')) return undefined
  const own = createAuthority(t)
  return { gateway: await startRawGateway(t, strict, { tls: own.issue(`DNS:${name}`) }), caFile: own.file }
}

const requests = [
  requestBytes({ method: 'POST', target: '/v1/chat/completions', lines: ['Host: localhost:9999'], body: chatBody }),
  requestBytes({ lines: ['Host: localhost:9999'] }),
  Buffer.from('GET /v1/models HTTP/1.0\r\n\r\n'),
]

async function assertServed(t: TestContext, proxyUrl: string, gateway: RawGateway, host: string): Promise<void> {
  for (const [n, bytes] of requests.entries()) {
    const got = await (await openRawClient(t, proxyUrl)).ask(bytes).over()
    assert.equal(got.status, 200, got.body.toString())
    const request = await gateway.request(n)
    assert.deepEqual(request.values('host'), [host])
    const names = request.head?.lines.map(([own]) => own.toLowerCase()) ?? []
    assert.deepEqual(
      names.filter((own) => /^(x-forwarded|forwarded|via|x-real)/.test(own)),
      [],
    )
  }
}

test('B26 with a port: Host has it, the server name does not', async (t) => {
  const started = await startStrict(t)
  if (started === undefined) return
  const { lookup } = dns
  t.mock.method(dns, 'lookup', ((own: string, ...rest: unknown[]) =>
    (lookup as (...args: unknown[]) => void)(own === name ? '127.0.0.1' : own, ...rest)) as typeof lookup)
  const { gateway, caFile } = started
  const proxy = await startProxy(t, `https://${name}:${gateway.port}/v1`, {
    config: { gateways: [{ tls: { ca: caFile } }] },
  })
  await assertServed(t, proxy.url, gateway, `${name}:${gateway.port}`)
})

test('B26 on port 443: Host has no port', async (t) => {
  const started = await startStrict(t)
  if (started === undefined) return
  const { gateway, caFile } = started
  // A tunnel takes the place of a resolver, and of the right to listen on 443.
  const asked: string[] = []
  const tunnel = createServer()
  tunnel.on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push(request.url ?? '')
    const onward = connect(gateway.port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
    socket.pipe(onward).pipe(socket)
  })
  tunnel.listen(0, '127.0.0.1')
  await once(tunnel, 'listening')
  t.after(() => {
    tunnel.closeAllConnections()
    tunnel.close()
  })
  process.env['HTTPS_PROXY'] = `http://127.0.0.1:${(tunnel.address() as AddressInfo).port}`
  t.after(() => {
    delete process.env['HTTPS_PROXY']
  })
  const proxy = await startProxy(t, `https://${name}/v1`, { config: { gateways: [{ tls: { ca: caFile } }] } })
  await assertServed(t, proxy.url, gateway, name)
  assert.ok(asked.every((target) => target === `${name}:443`))
})

test('B26 the wrong name in the certificate is refused before a byte of the request', async (t) => {
  if (!requireTool(t, 'openssl')) return
  const own = createAuthority(t)
  const gateway = await startRawGateway(t, strict, { tls: own.issue('DNS:other.example.test') })
  const proxy = await startProxy(t, `https://127.0.0.1:${gateway.port}/v1`, {
    config: { gateways: [{ tls: { ca: own.file } }] },
  })
  const got = await (await openRawClient(t, proxy.url)).ask(requestBytes()).over()
  assert.equal(got.status, 502)
  assert.match(got.body.toString(), /"code":"tls"/)
  assert.equal(gateway.requests.length, 0)
})
