import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { StreamMeasurement } from '../../src/measurement/stream-measurement.ts'
import { call, delta, done, finish, role, say, think, usage } from '../helpers/chat-events.ts'
import { type Answer, startFixtureStage, timeOf } from '../helpers/fixture-exchange.ts'
import { cut } from '../helpers/read-answer.ts'
import { type ReferenceEvent, referenceRead } from '../helpers/reference-reader.ts'

const text = fc.constantFrom('a', ' ', '\n', 'word', '\u{1f30a}', '模型', '"', 'data: no\\n\\n', 'x'.repeat(40))

/** Events as a chat stream may have them, in any order. */
const event = fc.oneof(
  { weight: 8, arbitrary: text.map((content) => say(content)) },
  { weight: 3, arbitrary: text.map((content) => think(content)) },
  text.map((part) => call({ arguments: part })),
  text.map((part) => call({ name: 'f', arguments: part })),
  text.map((content) => delta({ content, reasoning_content: content })),
  fc.constantFrom(
    role,
    say(''),
    delta({ content: null }),
    ': ping\n\n',
    'data:\n\n',
    'event: ping\ndata: {"type":"ping"}\n\n',
    'data: {broken\n\n',
    'data: null\n\n',
    'id: 7\nretry: 10\n\n',
  ),
)

const lineEnds = fc.constantFrom('\n', '\r\n', '\r')

const stream = fc
  .record({
    events: fc.array(event, { maxLength: 30 }),
    tokens: fc.option(fc.nat(200), { nil: undefined }),
    ends: fc.constantFrom(finish() + done, done, finish('length'), ''),
    lineEnd: lineEnds,
    mark: fc.boolean(),
  })
  .map(({ events, tokens, ends, lineEnd, mark }) => {
    const body = events.join('') + (tokens === undefined ? '' : usage(tokens)) + ends
    return Buffer.from((mark ? '\ufeff' : '') + body.replaceAll('\n', lineEnd))
  })

const places = fc.array(fc.nat(1_000_000), { maxLength: 25 })

test('the bytes, the counts and the marks of any stream are those of a slow reader', {
  timeout: 120_000,
}, async (t) => {
  const stage = await startFixtureStage(t)
  await fc.assert(
    fc.asyncProperty(stream, places, async (body, at) => {
      const pieces = cut(body, at).filter((piece) => piece.length > 0)
      const fixture = { ...plainAnswer, body }
      const { m } = await stage.play(fixture, pieces)
      const reference = referenceRead(body, {
        operation: 'chat',
        status: 200,
        contentType: 'text/event-stream',
        clean: true,
      })
      const output = reference.events.filter((one) => one.answer || one.reasoning)
      const ends = pieces.map((_, index) => pieces.slice(0, index + 1).reduce((sum, piece) => sum + piece.length, 0))
      const pieceOf = ({ completedBy }: ReferenceEvent): number => ends.findIndex((end) => completedBy < end)
      assertCounts(m, output, pieceOf)
      assert.equal(m.output.comments, reference.facts.comments)
      assert.equal(m.output.invalidEvents, reference.facts.invalidEvents)
      assert.equal(m.tokens?.output, reference.facts.usage?.output)
      assert.equal(m.outcome, reference.facts.endSeen ? 'ok' : 'truncated')
    }),
    { numRuns: 150 },
  )
  assert.deepEqual(stage.replay.proxy.faults, [])
})

function assertCounts(
  m: StreamMeasurement,
  output: readonly ReferenceEvent[],
  pieceOf: (event: ReferenceEvent) => number,
): void {
  const after = (mark: number | undefined): number | undefined =>
    mark === undefined ? undefined : mark - m.marks.received
  const when = (found: ReferenceEvent | undefined): number | undefined =>
    found === undefined ? undefined : timeOf(pieceOf(found))
  const chars = (events: readonly ReferenceEvent[]): number =>
    events.reduce((sum, one) => sum + one.contentChars + one.reasoningChars + one.toolChars, 0)
  const chunks = [...new Set(output.map(pieceOf))]
  const first = output.filter((one) => pieceOf(one) === chunks[0])
  assert.deepEqual(
    { ...m.output.all, firstChunkTokens: undefined },
    {
      events: output.length,
      chunks: chunks.length,
      chars: chars(output),
      firstChunkEvents: first.length,
      firstChunkChars: chars(first),
      firstChunkTokens: undefined,
    },
  )
  const { marks } = m
  assert.deepEqual(
    [marks.firstToken, marks.firstReasoning, marks.firstAnswer, marks.lastToken].map(after),
    [output[0], output.find((one) => one.reasoning), output.find((one) => one.answer), output.at(-1)].map(when),
  )
  const gaps = chunks.slice(1).map((chunk, index) => chunk - (chunks[index] as number))
  assert.equal(m.gaps.count, gaps.length)
  assert.equal(m.gaps.longest, Math.max(0, ...gaps))
  assert.equal(m.gaps.stalls, gaps.filter((seconds) => seconds > 1).length)
}

const plainAnswer: Omit<Answer, 'body'> = {
  name: 'generated',
  endpoint: '/v1/chat/completions',
  status: 200,
  format: 'sse',
  end: 'close',
  response_headers: { 'content-type': 'text/event-stream' },
  request_headers: { 'content-type': 'application/json' },
  request_body: { model: 'm', stream: true },
  reads: [],
}
