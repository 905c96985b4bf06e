import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Outcome } from '../../src/measurement/outcomes.ts'
import type { StreamMeasurement } from '../../src/measurement/stream-measurement.ts'
import { normaliseUsage, type ReportedUsage } from '../../src/measurement/usage.ts'
import { HeldClock } from './held-clock.ts'
import { openRawClient, requestBytes } from './raw-client.ts'
import { headOf, type RawMessage } from './raw-http.ts'
import { referenceRead } from './reference-reader.ts'
import { assertExact, type Replay, startReplay } from './replay.ts'
import { decodedBody, operationOf, type WireFixture } from './wire-fixtures.ts'

/** A fixture without what its author says of it. */
export type Answer = Omit<WireFixture, 'expect'>

/** A proxy before a gateway that sends whatever fixture it is asked for, with the clock held at each of its reads. */
export interface FixtureStage {
  /** Plays a fixture in these pieces, each written when the client has the one before. Read number `n` comes at `timeOf(n)`. */
  play(fixture: Answer, pieces: readonly Buffer[]): Promise<FixtureExchange>
  readonly replay: Replay
}

export interface FixtureExchange {
  readonly m: StreamMeasurement
  readonly line: Readonly<Record<string, unknown>>
}

/** ms on the held clock after `received`. */
export const timeOf = (read: number | null): number | undefined => (read === null ? undefined : (read + 1) * 1000)

export async function startFixtureStage(t: TestContext): Promise<FixtureStage> {
  const clock = new HeldClock()
  const replay = await startReplay(t, () => {}, { clock, idle: clock, config: { labels: { maxModels: 1000 } } })
  let from = 0
  return {
    replay,
    async play(fixture, pieces) {
      from += 10_000_000
      clock.set(from)
      const n = replay.proxy.measurements.length
      const client = await openRawClient(t, replay.proxy.url)
      const answer = client.ask(
        requestBytes({
          method: 'POST',
          target: fixture.endpoint,
          lines: Object.entries(fixture.request_headers).map(([name, value]) => `${name}: ${value}`),
          body: JSON.stringify(fixture.request_body ?? {}),
        }),
      )
      const connection = await replay.gateway.request(n).then(() => replay.gateway.connections.at(-1))
      assert.ok(connection !== undefined)
      const lines = Object.entries(fixture.response_headers).map(([name, value]) => `${name}: ${value}`)
      const sized = 'content-length' in fixture.response_headers
      if (!sized) lines.push('transfer-encoding: chunked')
      const head = headOf(`HTTP/1.1 ${fixture.status} Whatever`, [...lines, 'connection: close'])
      await connection.write(head)
      await answer.head()
      let length = 0
      for (const [read, bytes] of pieces.entries()) {
        clock.set(from + (timeOf(read) as number))
        await (sized ? connection.write(bytes) : connection.chunk(bytes))
        length += bytes.length
        await answer.seen(length)
      }
      if (fixture.end === 'close') {
        if (!sized) await connection.last()
        await assertExact(answer, { head, body: fixture.body })
      } else {
        connection.reset()
        assertCut(await answer.over(), fixture)
      }
      client.socket.destroy()
      const m = await replay.proxy.measurement(n)
      const line = replay.proxy.log.find(({ id }) => id === m.identity.id) ?? {}
      return { m, line }
    },
  }
}

function assertCut(got: RawMessage, fixture: Answer): void {
  assert.deepEqual(got.body, fixture.body)
  assert.equal(got.complete, false)
}

/** Everything that the fixture's author says of its answer but times. */
export function assertSaid({ m, line }: FixtureExchange, fixture: WireFixture): void {
  const { expect: said } = fixture
  const output = line['output'] as Record<string, unknown>
  assert.equal(m.status, fixture.status)
  assert.equal(output['bytes'], fixture.body.length)
  if (m.identity.operation === undefined) return
  const faults = [...(liesAboutItself(fixture) ? ['framing'] : []), ...(said.invalid_events > 0 ? ['json'] : [])]
  assert.deepEqual([...m.measurementErrors].sort(), faults)
  // A finish reason is an end in chat and completions, and in any whole body.
  const endsByReason = ['chat', 'completions'].includes(m.identity.operation) || fixture.format === 'json'
  assert.deepEqual(output, {
    ...output,
    events: said.token_events,
    content_chars: said.content_chars,
    reasoning_chars: said.reasoning_chars,
    tool_chars: said.tool_chars,
    comments: said.comments,
    invalid_events: said.invalid_events,
    end_seen: said.done_seen || (endsByReason && said.finish_reason !== null),
  })
  assert.equal(m.output.all.events, said.token_events)
  assert.equal(line['finish_reason'], said.finish_reason)
  assert.equal(line['served_model'], said.response_model)
  assert.equal(line['provider'], said.served_provider)
  assertTokens(m, fixture)
  const outcome = outcomeOf(fixture, m.output.endSeen)
  assert.equal(line['outcome'], outcome)
  const own = { gateway_error: 'reset', truncated: 'no_end_event' } as Partial<Record<Outcome, string>>
  assert.equal(line['error'], own[outcome] ?? said.error)
}

/** The content type names another framing than the body is in. */
function liesAboutItself({ response_headers, format, status }: WireFixture): boolean {
  const named = { 'text/event-stream': 'sse', 'application/x-ndjson': 'ndjson', 'application/json': 'json' }
  const type = (response_headers['content-type'] ?? '').split(';')[0] as keyof typeof named
  return status < 400 && type in named && named[type] !== format
}

/** The fixtures have usage as reported; the log has it normalised, which also needs the total. */
function assertTokens(m: StreamMeasurement, fixture: WireFixture): void {
  const { usage } = fixture.expect
  const reference = referenceRead(decodedBody(fixture), {
    operation: operationOf(fixture.endpoint),
    status: fixture.status,
    contentType: fixture.response_headers['content-type'],
    clean: fixture.end === 'close',
  }).facts.usage
  if (usage === null) {
    assert.equal(m.tokens, undefined)
    return
  }
  const orUndefined = (count: number | null): number | undefined => count ?? undefined
  const reported: ReportedUsage = {
    input: orUndefined(usage.input),
    output: orUndefined(usage.output),
    reasoning: orUndefined(usage.reasoning),
    cachedInput: orUndefined(usage.cached),
    cacheWriteInput: orUndefined(usage.cache_write),
    total: reference?.total,
  }
  assert.deepEqual(
    m.tokens,
    normaliseUsage(reported, m.identity.operation === 'messages' ? 'beside_cache' : 'includes_cache'),
  )
}

function outcomeOf({ status, expect, end, format }: WireFixture, endSeen: boolean): Outcome {
  if (end === 'reset' && !expect.done_seen) return 'gateway_error'
  if (status === 429) return 'rate_limited'
  if (status >= 500) return 'http_5xx'
  if (status >= 400) return 'http_4xx'
  if (expect.error !== null) return 'stream_error'
  return (format === 'sse' || format === 'ndjson') && !endSeen ? 'truncated' : 'ok'
}
