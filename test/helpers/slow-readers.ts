import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sumIn } from './exposition.ts'
import { eventually, residentBytesOf } from './process-state.ts'
import { startRawGateway } from './raw-gateway.ts'
import { chatBody, event, ordinaryEvents, sha256, streamHead } from './replay.ts'
import { serveProcess } from './served-process.ts'

const mib = 2 ** 20
const large = event({ choices: [{ index: 0, delta: { content: 'x'.repeat(30_000) } }] })
const begin = ordinaryEvents.slice(0, 2).join('')
const end = ordinaryEvents.slice(2).join('')

export interface SlowReaders {
  readonly clients: number
  /** Of 30 KB, in each answer. */
  readonly events: number
  /** For how long nobody reads anything, at least, ms. */
  readonly stalledMs: number
  /** Then each reads 1 MiB a second for so many seconds, then all. */
  readonly slowSeconds: number
}

/** B19: the gateway writes as fast as it may, the clients do not read. */
export async function assertSlowReadersAreHarmless(t: TestContext, readers: SlowReaders): Promise<void> {
  const { clients, events } = readers
  const gateway = await startRawGateway(t, async (_request, connection) => {
    await connection.write(streamHead())
    await connection.chunk(begin)
    for (let sent = 0; sent < events && !connection.socket.destroyed; sent++) await connection.chunk(large)
    await connection.chunk(end)
    await connection.last()
  })
  const served = await serveProcess(t, gateway.url)
  const open = async (): Promise<IncomingMessage> => {
    const asked = request(`${served.proxyUrl}/v1/chat/completions`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json' },
    })
    asked.end(chatBody)
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return answer
  }
  // What a process allots once (its young generation, up to 96 MiB on Node 24) is no memory of a stream.
  const warmUps = 4
  for (let n = 0; n < warmUps; n++) for await (const _ of await open()) void _
  const metrics = async (): Promise<string> => (await served.get('metrics')).text
  const heldBack = (text: string): number =>
    sumIn(text, 'streamgauge_unmeasured_total', { figure: 'output_tokens_per_second', reason: 'backpressure' })
  const heldBefore = heldBack(await metrics())
  const before = residentBytesOf(served.child.pid)

  const answers = await Promise.all(Array.from({ length: clients }, open))
  const stalledSince = performance.now()
  const written = (): number =>
    gateway.connections.slice(warmUps).reduce((sum, { socket }) => sum + socket.bytesWritten, 0)
  let last = -1
  // The same figure twice in a row, some time apart for the kernel: nothing moves any more.
  await eventually(
    async () => {
      await pause(400)
      const now = written()
      const still = now === last
      last = now
      return still && performance.now() - stalledSince >= readers.stalledMs
    },
    (still) => still,
    'the gateway is held',
    readers.stalledMs + 30_000,
  )
  const held = last / clients / mib
  const grown = (residentBytesOf(served.child.pid) - before) / clients / mib
  t.diagnostic(`held after ${held.toFixed(1)} MiB a stream; memory grew by ${grown.toFixed(2)} MiB a stream`)
  assert.ok(held < 16, `held after ${held} MiB`)
  assert.ok(grown < 4, `memory grew by ${grown} MiB a stream`)

  const wanted = sha256(begin + large.repeat(events) + end)
  const got = await Promise.all(answers.map((answer) => digestOf(answer, readers.slowSeconds)))
  assert.deepEqual(
    got,
    got.map(() => wanted),
  )
  assert.ok(answers.every(({ complete }) => complete))
  const text = await eventually(
    metrics,
    (seen) => sumIn(seen, 'streamgauge_requests_total', { outcome: 'ok' }) === clients + warmUps,
    'all counted as ok',
  )
  assert.ok(sumIn(text, 'streamgauge_backpressure_seconds_total') > 0)
  assert.equal(heldBack(text) - heldBefore, clients)
  assert.equal(sumIn(text, 'streamgauge_time_to_first_token_seconds_count'), clients + warmUps)
}

async function digestOf(answer: IncomingMessage, slowSeconds: number): Promise<string> {
  const hash = createHash('sha256')
  let read = 0
  const since = performance.now()
  for await (const bytes of answer) {
    hash.update(bytes as Buffer)
    read += (bytes as Buffer).length
    const dueMs = (read / mib) * 1000
    if (dueMs < slowSeconds * 1000) await pause(Math.max(0, since + dueMs - performance.now()))
  }
  return hash.digest('hex')
}
