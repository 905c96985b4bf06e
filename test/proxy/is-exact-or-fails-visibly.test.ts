import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sumIn } from '../helpers/exposition.ts'
import { eventually } from '../helpers/process-state.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import type { RawConnection } from '../helpers/raw-gateway.ts'
import { chunk, headOf, type RawMessage } from '../helpers/raw-http.ts'
import { assertLive, chatRequest, ordinaryBody, ordinaryEvents, startReplay } from '../helpers/replay.ts'

/** What the gateway does: an answer in pieces of any size, cut where it likes. */
interface Answer {
  readonly status: 200 | 201 | 400 | 429 | 500
  readonly type: string
  /** More lines, in their order, some of them twice. */
  readonly lines: readonly string[]
  readonly body: Buffer
  readonly framing: 'chunked' | 'length' | 'close'
  /** Sizes of the pieces that it is written in, over and over. */
  readonly pieces: readonly number[]
  /** Sizes of its HTTP chunks, over and over. */
  readonly chunks: readonly number[]
  /** Part of the bytes after which it ends in another way than it should. */
  readonly cut: { readonly at: number; readonly how: 'fin' | 'reset' } | undefined
}

/** What the client does. */
interface Client {
  readonly kind: 'generation' | 'passed through'
  readonly lines: readonly string[]
  /** Sizes of the pieces that its request is written in, over and over. */
  readonly pieces: readonly number[]
  /** Leaves once it has so much of the answer. */
  readonly leaves: { readonly after: number; readonly how: 'fin' | 'reset' } | undefined
  /** Turns of the event loop for which it does not read. */
  readonly pause: number
}

const sizes = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 6 })
const lines = fc.array(
  fc
    .tuple(
      fc.stringMatching(/^x-[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/),
      fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 30 }),
    )
    // What is no part of a field value, and the names that are ours.
    .map(([name, value]) => [name, value.replace(/[\x7f-\x9f]/g, '?').trim()] as const)
    .filter(([name]) => !/^x-(n|streamgauge-app|api-key|goog-api-key|request-id)$/i.test(name))
    .map(([name, value]) => `${name}: ${value}`),
  { maxLength: 6 },
)
const body = fc.oneof(
  fc
    .constantFrom(
      ordinaryBody,
      ordinaryBody.slice(0, -14),
      ordinaryBody.repeat(40),
      ordinaryEvents.slice(0, 4).join(''),
    )
    .map((text) => Buffer.from(text)),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...ordinaryEvents),
        fc.string({ unit: 'binary' }),
        fc.constantFrom('\r', '\n', 'data: ', ':', '{}', '\0'),
      ),
      { maxLength: 30 },
    )
    .map((parts) => Buffer.from(parts.join(''))),
  fc.uint8Array({ maxLength: 5000 }).map((bytes) => Buffer.from(bytes)),
)
const answers: fc.Arbitrary<Answer> = fc.record({
  status: fc.constantFrom(200, 200, 200, 200, 201, 400, 429, 500),
  type: fc.constantFrom(
    'text/event-stream',
    'text/event-stream',
    'application/json',
    'application/x-ndjson',
    'application/octet-stream',
  ),
  lines,
  body,
  framing: fc.constantFrom('chunked', 'chunked', 'length', 'close'),
  pieces: sizes,
  chunks: sizes,
  cut: fc.option(
    fc.record({
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      how: fc.constantFrom('fin', 'reset'),
    }),
    {
      nil: undefined,
    },
  ),
})
const clients: fc.Arbitrary<Client> = fc.record({
  kind: fc.constantFrom('generation', 'passed through'),
  lines,
  pieces: sizes,
  leaves: fc.option(fc.record({ after: fc.integer({ min: 0, max: 4000 }), how: fc.constantFrom('fin', 'reset') }), {
    nil: undefined,
    freq: 3,
  }),
  pause: fc.constantFrom(0, 0, 0, 5, 20),
})
const exchanges = fc.array(fc.tuple(answers, clients), { minLength: 1, maxLength: 8 })

function* cutInto(bytes: Buffer, lengths: readonly number[]): Iterable<Buffer> {
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const length = lengths[n % lengths.length] as number
    yield bytes.subarray(at, at + length)
    at += length
  }
}

function wireOf({ status, type, lines: more, body: bytes, framing, chunks }: Answer): Buffer {
  const lines = [`content-type: ${type}`, ...more]
  if (framing === 'length') lines.push(`content-length: ${bytes.length}`)
  else lines.push(framing === 'chunked' ? 'transfer-encoding: chunked' : 'connection: close')
  const head = headOf(`HTTP/1.1 ${status} Whatever`, lines)
  if (framing !== 'chunked') return Buffer.concat([head, bytes])
  return Buffer.concat([head, ...[...cutInto(bytes, chunks)].map(chunk), Buffer.from('0\r\n\r\n')])
}

async function play(answer: Answer, connection: RawConnection): Promise<void> {
  const wire = wireOf(answer)
  const length = answer.cut === undefined ? wire.length : Math.floor(answer.cut.at * wire.length)
  for (const piece of cutInto(wire.subarray(0, length), answer.pieces)) {
    await Promise.race([connection.write(piece), connection.closed])
    if (connection.socket.destroyed) return
  }
  if (answer.cut !== undefined) connection[answer.cut.how]()
  else if (answer.framing === 'close') connection.fin()
}

/** The lines that were made up, as they stand in a message. */
function ownLines({ head }: RawMessage): string[] {
  return (head?.lines ?? []).filter(([name]) => /^x-(?!n$)/.test(name)).map(([name, value]) => `${name}: ${value}`)
}

const turns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await new Promise(setImmediate)
}

test('whatever gateway and client do: exact, an error, or a visible cut; counted once, and nothing left in flight', {
  timeout: 110_000,
}, async (t) => {
  const plays = new Map<string, Answer>()
  const replay = await startReplay(t, (request, connection) =>
    play(plays.get(request.values('x-n')[0] ?? '') as Answer, connection),
  )
  const { proxy } = replay
  let n = 0
  let asked = 0

  const one = async (answer: Answer, client: Client): Promise<void> => {
    const name = String(n++)
    plays.set(name, answer)
    const raw = await openRawClient(t, proxy.url)
    const request =
      client.kind === 'generation'
        ? chatRequest([`x-n: ${name}`, ...client.lines])
        : requestBytes({
            method: 'POST',
            target: '/v1/files',
            lines: [`x-n: ${name}`, ...client.lines],
            body: 'x'.repeat(500),
          })
    const got = raw.expect('POST')
    for (const piece of cutInto(request, client.pieces)) await raw.write(piece)
    asked++
    if (client.pause > 0) {
      raw.socket.pause()
      await turns(client.pause)
      raw.socket.resume()
    }
    const recorded = proxy.measurements.length
    if (client.leaves !== undefined) {
      await Promise.race([got.seen(client.leaves.after).catch(() => {}), got.over().catch(() => {})])
      // Else the kernel may drop a request that was never read.
      await eventually(
        () =>
          proxy.measurements.length > recorded ||
          replay.gateway.requests.some((seen) => seen.values('x-n')[0] === name),
        Boolean,
        'seen',
      )
      raw[client.leaves.how]()
    }
    const message = await got.over().catch(() => got.message)
    raw.socket.destroy()
    const arrived = replay.gateway.requests.find((seen) => seen.values('x-n')[0] === name)
    if (arrived !== undefined) assert.deepEqual(ownLines(arrived), client.lines)
    if (message.head === undefined) return
    if (message.status === 502) {
      assert.equal(message.complete, true)
      assert.match(message.body.toString(), /^\{"error":\{"message":"Streamgauge: /)
      return
    }
    assert.equal(message.status, answer.status)
    assert.deepEqual(ownLines(message), answer.lines)
    if (client.leaves !== undefined) {
      assert.deepEqual(message.body, answer.body.subarray(0, message.body.length))
      return
    }
    const whole = answer.cut === undefined || (answer.framing === 'close' && answer.cut.how === 'fin')
    const expected = answer.cut === undefined ? answer.body : answer.body.subarray(0, message.body.length)
    assert.deepEqual(message.body, expected)
    const { framing, cut, pieces } = answer
    const told = JSON.stringify({
      framing,
      cut,
      pieces,
      length: answer.body.length,
      came: message.body.length,
      kind: client.kind,
      pause: client.pause,
    })
    if (message.framing !== 'close') assert.equal(message.complete, whole, told)
  }

  await fc.assert(
    fc.asyncProperty(exchanges, async (pairs) => {
      await Promise.all(pairs.map(([answer, client]) => one(answer, client)))
      await eventually(
        () => proxy.measurements.length,
        (count) => count >= asked,
        `${asked} records`,
      )
      assert.equal(proxy.measurements.length, asked)
      const text = await proxy.metrics()
      assert.equal(sumIn(text, 'streamgauge_requests_total'), asked)
      assert.equal(sumIn(text, 'streamgauge_streams_in_flight'), 0)
      assert.deepEqual(proxy.faults, [])
      assert.deepEqual(replay.gateway.faults, [])
    }),
    {
      numRuns: 60,
      endOnFailure: true,
      // The counterexample itself is thousands of bytes.
      reporter: ({ failed, seed, counterexamplePath, errorInstance }) => {
        if (failed)
          throw new Error(`seed ${seed}, path "${counterexamplePath}": ${errorInstance}`, { cause: errorInstance })
      },
    },
  )
  t.diagnostic(`${asked} exchanges`)
  await assertLive(replay)
})
