import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Identity, selfSigned } from '../helpers/certificates.ts'
import { openRawClient } from '../helpers/raw-client.ts'
import { type RawConnection, startRawGateway } from '../helpers/raw-gateway.ts'
import { assertOutcomes, bothKinds, chatRequest, startReplay, wholeAnswer } from '../helpers/replay.ts'
import { serveProcess } from '../helpers/served-process.ts'

const answer = wholeAnswer('{}')

const ends: readonly { readonly name: string; readonly end: (connection: RawConnection) => void }[] = [
  { name: 'closed', end: (connection) => connection.socket.destroy() },
  { name: 'half-closed', end: (connection) => connection.fin() },
  { name: 'reset', end: (connection) => connection.reset() },
]

/** Answers the first request of a connection, and ends it at once when the second one is whole. */
function endsAfterReading(end: (connection: RawConnection) => void | Promise<void>) {
  const served = new WeakSet<RawConnection>()
  return (_request: unknown, connection: RawConnection): Promise<void> | void => {
    if (served.has(connection)) return end(connection)
    served.add(connection)
    return connection.write(answer)
  }
}

for (const { name, end } of ends) {
  for (const { kind, request } of bothKinds) {
    // Node resets no TLS connection.
    for (const scheme of name === 'reset' ? ['http'] : ['http', 'https']) {
      test(`B46 b: a kept connection that is ${name} right after the whole request was read: 502, one request: ${kind}, ${scheme}`, async (t) => {
        const tls: Identity | undefined = scheme === 'https' ? selfSigned(t, 'IP:127.0.0.1') : undefined
        const replay = await startReplay(
          t,
          endsAfterReading(end),
          tls && { gateway: { tls }, config: { gateways: [{ tls: { insecure: true } }] } },
        )
        const client = await openRawClient(t, replay.proxy.url)
        assert.equal((await client.ask(request()).over()).status, 200)
        const got = await client.ask(request()).over()
        assert.equal(got.status, 502)
        assert.match(got.body.toString(), /"code":"(closed|reset)"/)
        const [, record] = await assertOutcomes(replay.proxy, 'ok', 'gateway_error')
        assert.equal(record?.resends, 0)
        assert.equal(replay.gateway.requests.length, 2)
      })
    }
  }

  // A process of its own: gateway and proxy do not take turns. What ends before the proxy has looked for it once cannot be told from an old end.
  test(`B46 b: fifty times ${name} soon after reading, by a gateway in another process: each request is seen once`, {
    timeout: 60_000,
  }, async (t) => {
    const later = async (connection: RawConnection): Promise<void> => {
      await pause(20)
      end(connection)
    }
    const gateway = await startRawGateway(t, endsAfterReading(name === 'reset' ? end : later))
    const served = await serveProcess(t, gateway.url)
    const client = await openRawClient(t, served.proxyUrl)
    const statuses: number[] = []
    for (let n = 0; n < 100; n++) {
      const got = await client.ask(chatRequest([`x-n: ${n}`])).over()
      statuses.push(got.status ?? 0)
    }
    const numbers = gateway.requests.map((request) => request.values('x-n')[0])
    assert.deepEqual(
      numbers,
      statuses.map((_, n) => String(n)),
    )
    assert.deepEqual(
      statuses,
      statuses.map((_, n) => (n % 2 === 0 ? 200 : 502)),
    )
  })
}
