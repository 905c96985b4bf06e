import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumIn } from '../helpers/exposition.ts'
import { eventually, residentBytesOf } from '../helpers/process-state.ts'
import { openRawClient } from '../helpers/raw-client.ts'
import { startRawGateway } from '../helpers/raw-gateway.ts'
import { chatRequest, event, ordinaryEvents, sha256, streamHead } from '../helpers/replay.ts'
import { serveProcess } from '../helpers/served-process.ts'

const mib = 2 ** 20
const much = event({ choices: [{ index: 0, delta: { content: 'x'.repeat(30_000) } }] })
const events = 600
const clients = 12

test('B19 clients that read nothing, then all: EXACT, the gateway is held, and memory stays bounded', {
  timeout: 100_000,
}, async (t) => {
  const gateway = await startRawGateway(t, async (_request, connection, n) => {
    await connection.write(streamHead())
    await connection.chunk(ordinaryEvents.slice(0, 2).join(''))
    if (n > 0) for (let sent = 0; sent < events && !connection.socket.destroyed; sent++) await connection.chunk(much)
    await connection.chunk(ordinaryEvents.slice(2).join(''))
    await connection.last()
  })
  const served = await serveProcess(t, gateway.url)
  await (await openRawClient(t, served.proxyUrl)).ask(chatRequest()).over()
  const before = residentBytesOf(served.child.pid)

  const begin = ordinaryEvents.slice(0, 2).join('')
  const wanted = sha256(begin + much.repeat(events) + ordinaryEvents.slice(2).join(''))

  const slow = await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = await openRawClient(t, served.proxyUrl)
      client.socket.pause()
      return { client, answer: client.ask(chatRequest()) }
    }),
  )
  await gateway.connection(clients - 1)
  const written = (): number => gateway.connections.reduce((sum, { socket }) => sum + socket.bytesWritten, 0)
  let last = -1
  // The same figure twice in a row, seconds apart for the kernel: nothing moves any more.
  await eventually(
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 400))
      const now = written()
      const still = now === last
      last = now
      return still
    },
    (still) => still,
    'held',
  )
  const held = last / clients / mib
  const grown = (residentBytesOf(served.child.pid) - before) / clients / mib
  t.diagnostic(
    `the gateway was held after ${held.toFixed(1)} MiB a stream; memory grew by ${grown.toFixed(2)} MiB a stream`,
  )
  assert.ok(held < 16, `held after ${held} MiB`)
  assert.ok(grown < 8, `memory grew by ${grown} MiB a stream`)

  for (const { client, answer } of slow) {
    client.socket.resume()
    const got = await answer.over()
    assert.equal(got.complete, true)
    assert.equal(sha256(got.body), wanted)
    client.socket.destroy()
  }
  const text = await eventually(
    async () => (await served.get('metrics')).text,
    (seen) => sumIn(seen, 'streamgauge_requests_total', { outcome: 'ok' }) === clients + 1,
    'all counted as ok',
  )
  assert.ok(sumIn(text, 'streamgauge_backpressure_seconds_total') > 0)
  assert.equal(
    sumIn(text, 'streamgauge_unmeasured_total', { figure: 'output_tokens_per_second', reason: 'backpressure' }),
    clients,
  )
  assert.equal(sumIn(text, 'streamgauge_time_to_first_token_seconds_count'), clients + 1)
})
