import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumIn } from '../helpers/exposition.ts'
import { residentBytesOf } from '../helpers/process-state.ts'
import { openRawClient } from '../helpers/raw-client.ts'
import { type RawConnection, startRawGateway } from '../helpers/raw-gateway.ts'
import {
  assertExact,
  assertOutcomes,
  chatRequest,
  event,
  ordinaryBody,
  ordinaryEvents,
  playInStep,
  startReplay,
  streamHead,
} from '../helpers/replay.ts'
import { serveProcess } from '../helpers/served-process.ts'

const mib = 2 ** 20

async function inPieces(connection: RawConnection, body: Buffer, size = 16 * 1024): Promise<void> {
  for (let at = 0; at < body.length; at += size) await connection.chunk(body.subarray(at, at + size))
}

test('B18 a: an event of 8 MiB passes whole, and the usage after it is read', async (t) => {
  const picture = event({ choices: [{ index: 0, delta: { content: 'x'.repeat(8 * mib) } }] })
  const body = Buffer.from([ordinaryEvents[0], ordinaryEvents[1], picture, ...ordinaryEvents.slice(2)].join(''))
  const replay = await startReplay(t, async (_request, connection) => {
    await connection.write(streamHead())
    await inPieces(connection, body)
    await connection.last()
  })
  await assertExact(await replay.ask(), { head: streamHead(), body })
  const [record] = await assertOutcomes(replay.proxy, 'ok')
  assert.equal(record?.tokens?.output, 5)
  assert.equal(record?.output.skippedEvents, 1)
  const text = await replay.proxy.metrics()
  assert.equal(sumIn(text, 'streamgauge_measurement_errors_total', { stage: 'skipped' }), 1)
})

test('B18 b: an event that never ends passes in bounded memory, and other streams go on beside it', {
  timeout: 100_000,
}, async (t) => {
  const total = 256 * mib
  const piece = Buffer.alloc(64 * 1024, 'a')
  const gateway = await startRawGateway(t, async (request, connection, n) => {
    await connection.write(streamHead())
    if (n === 0) return connection.chunk(ordinaryBody)
    if (request.values('x-stream')[0] === 'endless') {
      await connection.chunk('data: ')
      for (let sent = 0; sent < total && !connection.socket.destroyed; sent += piece.length)
        await connection.chunk(piece)
      await connection.last()
    } else {
      await playInStep(connection, () => beside, [...ordinaryEvents, ...ordinaryEvents, ...ordinaryEvents])
      await connection.last()
    }
  })
  const served = await serveProcess(t, gateway.url)
  const warm = (await openRawClient(t, served.proxyUrl)).ask(chatRequest())
  await warm.seen('[DONE]')
  const before = residentBytesOf(served.child.pid)

  const client = await openRawClient(t, served.proxyUrl)
  let received = 0
  let highest = 0
  const ended = new Promise<void>((resolve) => client.socket.on('close', resolve))
  client.socket.removeAllListeners('data')
  client.socket.on('data', (bytes: Buffer) => {
    received += bytes.length
    if (received % 64 < 2) highest = Math.max(highest, residentBytesOf(served.child.pid))
    if (bytes.includes('\r\n0\r\n\r\n')) client.socket.destroy()
  })
  await client.write(chatRequest(['x-stream: endless']))
  const beside = (await openRawClient(t, served.proxyUrl)).ask(chatRequest())
  await beside.over()
  assert.equal(beside.message.complete, true)
  await ended
  assert.ok(received > total)
  const grown = (Math.max(highest, residentBytesOf(served.child.pid)) - before) / mib
  t.diagnostic(`memory grew by ${grown.toFixed(1)} MiB while ${total / mib} MiB passed as one event`)
  // A collector that is in no hurry: 40 MiB on Node 20, 100 on Node 24, whatever the size of the event.
  assert.ok(grown < 160, `memory grew by ${grown.toFixed(1)} MiB`)
  const text = (await served.get('metrics')).text
  assert.equal(sumIn(text, 'streamgauge_measurement_errors_total', { stage: 'skipped' }), 1)
})

test('B18 c: 200000 lines of one byte pass whole', async (t) => {
  const body = Buffer.from(`${'\n'.repeat(200_000)}${ordinaryBody}`)
  const replay = await startReplay(t, async (_request, connection) => {
    await connection.write(streamHead())
    await inPieces(connection, body)
    await connection.last()
  })
  await assertExact(await replay.ask(), { head: streamHead(), body })
  const [record] = await assertOutcomes(replay.proxy, 'ok')
  assert.equal(record?.tokens?.output, 5)
})

test('B18 c: 200000 comments of one byte are no error and no event', async (t) => {
  const body = Buffer.from(`${':\n'.repeat(200_000)}\n${ordinaryBody}`)
  const replay = await startReplay(t, async (_request, connection) => {
    await connection.write(streamHead())
    await inPieces(connection, body)
    await connection.last()
  })
  await assertExact(await replay.ask(), { head: streamHead(), body })
  const [record] = await assertOutcomes(replay.proxy, 'ok')
  assert.deepEqual(record?.measurementErrors, [])
  assert.equal(record?.output.all.events, 5)
})
