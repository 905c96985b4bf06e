import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import type { StreamMeasurement } from '../../src/measurement/stream-measurement.ts'
import { normaliseUsage, type ReportedUsage } from '../../src/measurement/usage.ts'
import { requestBytes } from '../helpers/raw-client.ts'
import { type Recording, readOf, recordings } from '../helpers/recordings.ts'
import { type Reference, type ReferenceEvent, referenceRead } from '../helpers/reference-reader.ts'
import { assertExact, assertExactRequest, startReplay } from '../helpers/replay.ts'
import { operationOf } from '../helpers/wire-fixtures.ts'

/** Longer ones are played faster, alike in all parts. */
const longestMs = 5000

describe('recordings', { concurrency: true }, () => {
  for (const recording of recordings) {
    const { name, request, reads, answer } = recording
    test(name, { timeout: 30_000 }, async (t) => {
      const speed = Math.max(1, (reads.at(-1)?.[0] ?? 0) / longestMs)
      const writtenAt: number[] = []
      let askedAt = 0
      const replay = await startReplay(t, async (_request, connection) => {
        const start = performance.now()
        askedAt = start
        const client = await sent
        for (const [index, [ms, bytes]] of reads.entries()) {
          await wait(Math.max(0, start + ms / speed - performance.now()))
          writtenAt.push(performance.now())
          await connection.write(bytes)
          // At its time, and never before the client has what came before: so that each mark lies between two known instants.
          await client.seen(recording.bodyAfter[index] as number)
        }
      })
      const bytes = requestBytes({
        method: request.method,
        target: request.target,
        lines: Object.entries(request.headers).map(([key, value]) => `${key}: ${value}`),
        ...(request.body === null ? {} : { body: request.body }),
      })
      const sent = replay.ask(bytes)

      const got = await assertExact(await sent, { head: answer.head?.bytes as Buffer, body: answer.body })
      assert.equal(got.body.length, recording.bodyAfter.at(-1))
      assertExactRequest(await replay.gateway.request(0), { bytes, body: request.body ?? '' })
      const m = await replay.proxy.measurement()
      assert.equal(m.status, answer.status)
      assert.equal(m.output.bytes, answer.body.length)
      assert.ok((m.marks.dispatched as number) <= askedAt)
      isAfter(m.marks.headers, writtenAt, 0)
      isAfter(m.marks.firstByte, writtenAt, readOf(recording, 0))
      if (m.identity.operation === undefined) return
      const reference = readIndependently(recording)
      agree(m, reference)
      if (m.streamed) marksAgree(m, reference, recording, writtenAt)
      assert.deepEqual(replay.proxy.faults, [])
      assert.deepEqual(replay.gateway.faults, [])
    })
  }
})

function readIndependently({ request, answer }: Recording): Reference {
  const gzip = answer.values('content-encoding')[0] === 'gzip'
  return referenceRead(gzip ? gunzipSync(answer.body) : answer.body, {
    operation: operationOf(request.target),
    status: answer.status,
    contentType: answer.values('content-type')[0],
    clean: true,
  })
}

const isOutput = ({ reasoning, answer }: ReferenceEvent): boolean => reasoning || answer

function agree(m: StreamMeasurement, { events, facts, whole }: Reference): void {
  const output = events.filter(isOutput)
  const sum = (of: (event: ReferenceEvent) => number): number => output.reduce((total, event) => total + of(event), 0)
  assert.equal(m.streamed, facts.streamed)
  assert.equal(m.output.all.events, output.length)
  assert.equal(m.output.answer.events, output.filter(({ answer }) => answer).length)
  assert.equal(m.output.contentChars, whole?.[0] ?? sum((event) => event.contentChars))
  assert.equal(m.output.reasoningChars, whole?.[1] ?? sum((event) => event.reasoningChars))
  assert.equal(m.output.toolChars, whole?.[2] ?? sum((event) => event.toolChars))
  assert.equal(m.output.comments, facts.comments)
  assert.equal(m.output.invalidEvents, facts.invalidEvents)
  assert.equal(m.output.choices, facts.choices)
  assert.equal(m.output.endSeen, facts.endSeen)
  assert.equal(m.finishReason, facts.finishReason)
  assert.equal(m.servedModel, facts.servedModel)
  const { usage } = facts
  assert.deepEqual(
    m.tokens,
    usage &&
      normaliseUsage(usage as ReportedUsage, m.identity.operation === 'messages' ? 'beside_cache' : 'includes_cache'),
  )
  if (facts.error === undefined) assert.equal(m.outcome, 'ok')
  else assert.equal(m.error, facts.error)
}

/** Each mark lies between the writing of the read that completed its event and the writing of the next. */
function marksAgree(m: StreamMeasurement, { events }: Reference, recording: Recording, writtenAt: number[]): void {
  const { marks } = m
  const compressed = m.decoding !== 'plain'
  const place = ({ completedBy }: ReferenceEvent): number => (compressed ? 0 : readOf(recording, completedBy))
  const output = events.filter(isOutput)
  const of = (found: ReferenceEvent | undefined): number | undefined => (found === undefined ? undefined : place(found))
  isBetween(marks.firstEvent, writtenAt, of(events[0]))
  isBetween(marks.firstToken, writtenAt, of(output[0]))
  isBetween(marks.firstReasoning, writtenAt, of(output.find(({ reasoning }) => reasoning)))
  isBetween(marks.firstAnswer, writtenAt, of(output.find(({ answer }) => answer)))
  isBetween(marks.lastToken, writtenAt, of(output.at(-1)))
  const chunks = new Set(output.map(place))
  assert.equal(m.output.all.chunks, chunks.size)
  assert.equal(m.output.all.firstChunkEvents, output.filter((event) => place(event) === of(output[0])).length)
  assert.equal(m.gaps.count, Math.max(0, chunks.size - 1))
  if (chunks.size > 1) {
    const windowMs = (marks.lastToken as number) - (marks.firstToken as number)
    assert.ok(Math.abs(m.gaps.sum * 1000 - windowMs) < 1e-6)
  }
}

function isAfter(mark: number | undefined, writtenAt: readonly number[], read: number): void {
  assert.ok((mark as number) >= (writtenAt[read] as number), `${mark} is before read ${read} was written`)
}

function isBetween(mark: number | undefined, writtenAt: readonly number[], read: number | undefined): void {
  if (read === undefined) {
    assert.equal(mark, undefined)
    return
  }
  isAfter(mark, writtenAt, read)
  const next = writtenAt[read + 1] ?? Number.POSITIVE_INFINITY
  assert.ok((mark as number) <= next, `${mark} is after read ${read + 1} was written`)
}
