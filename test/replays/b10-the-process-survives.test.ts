import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { sumIn } from '../helpers/exposition.ts'
import { descriptorsOf, eventually } from '../helpers/process-state.ts'
import { openRawClient } from '../helpers/raw-client.ts'
import { type RawConnection, type Script, startRawGateway } from '../helpers/raw-gateway.ts'
import { headOf } from '../helpers/raw-http.ts'
import {
  assertExact,
  chatRequest,
  chunked,
  ordinaryBody,
  ordinaryEvents,
  ordinaryStream,
  streamHead,
} from '../helpers/replay.ts'
import { seededRandom } from '../helpers/seeded-random.ts'
import { serveProcess } from '../helpers/served-process.ts'

const seed = 20_261_201
/** The soak sends many more. */
const requests = 1000
const atOnce = 50

const wholeStream = Buffer.concat([streamHead(), chunked(...ordinaryEvents)])
const zipped = Buffer.concat([streamHead('content-encoding: gzip'), chunked(gzipSync(ordinaryBody))])

/** What a gateway may do, from the worst to the ordinary. */
function conduct(random: () => number): (connection: RawConnection) => Promise<void> | void {
  const at = random()
  const bytes = random() < 0.3 ? zipped : wholeStream
  const cut = Math.floor(random() * bytes.length)
  if (at < 0.1) return (connection) => connection.reset()
  if (at < 0.2) return (connection) => connection.fin()
  if (at < 0.4)
    return async (connection) => {
      await connection.write(bytes.subarray(0, cut))
      if (cut % 2 === 0) connection.reset()
      else connection.fin()
    }
  if (at < 0.5) return (connection) => connection.write('HTTP/1.1 two hundred\r\n\r\n')
  if (at < 0.55)
    return async (connection) => {
      await connection.write('HTTP/1.1 200 OK\r\n')
      while (!connection.socket.destroyed)
        await Promise.race([connection.write(`x-endless: ${'a'.repeat(4000)}\r\n`), connection.closed])
    }
  if (at < 0.65)
    return async (connection) => {
      await connection.write(headOf('HTTP/1.1 200 OK', ['content-type: text/event-stream', 'content-length: 100000']))
      for (let n = 0; n < 20; n++) {
        await connection.write(ordinaryEvents[1] as string)
        await new Promise(setImmediate)
      }
      connection.fin()
    }
  return (connection) => connection.write(bytes)
}

test('B10 resets, malformed answers and clients that leave at any moment end no process', {
  timeout: 110_000,
}, async (t) => {
  const random = seededRandom(seed)
  const arrived = new Map<string, () => void>()
  const script: Script = async (request, connection) => {
    arrived.get(request.values('x-n')[0] ?? '')?.()
    await conduct(random)(connection)
  }
  const gateway = await startRawGateway(t, script)
  const served = await serveProcess(t, gateway.url, { yaml: 'log: { exchanges: false }' })
  await served.get('metrics')
  const before = descriptorsOf(served.child.pid)

  const one = async (n: number): Promise<void> => {
    const client = await openRawClient(t, served.proxyUrl)
    const reached = new Promise<void>((resolve) => arrived.set(String(n), resolve))
    const answer = client.ask(chatRequest([`x-n: ${n}`, 'accept-encoding: gzip']))
    const stays = random() < 0.5
    const wait = Math.floor(random() * 4)
    const leave = random() < 0.5 ? client.fin : client.reset
    if (stays) await answer.over().catch(() => {})
    else {
      // Before that the kernel may drop the request itself.
      await reached
      for (let turn = 0; turn < wait; turn++) await new Promise(setImmediate)
      leave()
    }
    client.fin()
    await client.closed
  }
  for (let n = 0; n < requests; n += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, offset) => one(n + offset)))
  }

  const text = await eventually(
    async () => (await served.get('metrics')).text,
    (seen) => sumIn(seen, 'streamgauge_requests_total') >= requests,
    'all counted',
  )
  assert.equal(sumIn(text, 'streamgauge_requests_total'), requests, `seed ${seed}`)
  assert.equal(sumIn(text, 'streamgauge_streams_in_flight'), 0)
  assert.equal(sumIn(text, 'streamgauge_measurement_errors_total', { stage: 'observer' }), 0)
  gateway.script = ordinaryStream
  const last = await openRawClient(t, served.proxyUrl)
  await assertExact(last.ask(chatRequest()), { head: streamHead(), body: ordinaryBody })
  // A kept connection is a descriptor too.
  last.reset()
  await gateway.close()
  await eventually(
    () => descriptorsOf(served.child.pid),
    (now) => now <= before,
    `back to ${before} descriptors`,
  )
  assert.deepEqual(
    // That answers are cut off is what this is about.
    served.lines().filter(({ level, msg }) => Number(level) >= 40 && msg !== 'answer cut off'),
    [],
  )
  assert.equal(served.stderr(), '')
  assert.equal(served.child.exitCode, null)
  assert.equal(served.lines().filter(({ msg }) => msg === 'listening').length, 1)
})
