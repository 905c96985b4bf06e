import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from '../../src/measurement/outcomes.ts'
import type { StreamMeasurement } from '../../src/measurement/stream-measurement.ts'
import { sumIn } from '../helpers/exposition.ts'
import { headOf } from '../helpers/raw-http.ts'
import {
  assertExact,
  assertLive,
  assertOutcomes,
  chatRequest,
  chunked,
  ordinaryBody,
  startReplay,
} from '../helpers/replay.ts'

const whole = JSON.stringify({
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'One two' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
})
const refusal = JSON.stringify({ error: { message: 'no', type: 'invalid_request_error', code: 'invalid_api_key' } })
const cdnPage = '<html><head><title>502 Bad Gateway</title></head><body>data: no</body></html>'

interface Case {
  readonly name: string
  readonly asked?: boolean
  readonly status?: string
  readonly type?: string | undefined
  readonly pieces: readonly (string | Buffer)[]
  readonly outcome: Outcome
  readonly streamed: boolean
  readonly hasToken: boolean
  readonly also?: (record: StreamMeasurement, metrics: string) => void
}

const stream = { outcome: 'ok', streamed: true, hasToken: true } as const
const noStream = { streamed: false, hasToken: false } as const
const tokens = (count: number) => (record: StreamMeasurement) => assert.equal(record.tokens?.output, count)

const cases: readonly Case[] = [
  {
    name: 'a: a stream was asked, 401 JSON comes',
    status: '401 Unauthorized',
    type: 'application/json',
    pieces: [refusal],
    outcome: 'http_4xx',
    ...noStream,
  },
  {
    name: 'a: a stream was asked, 429 JSON comes',
    status: '429 Too Many Requests',
    type: 'application/json',
    pieces: [refusal],
    outcome: 'rate_limited',
    ...noStream,
  },
  {
    name: 'a: a stream was asked, JSON comes',
    type: 'application/json',
    pieces: [whole],
    outcome: 'ok',
    ...noStream,
    also: tokens(5),
  },
  {
    name: 'b: none was asked, a stream comes',
    asked: false,
    type: 'text/event-stream',
    pieces: [ordinaryBody],
    ...stream,
    also: tokens(5),
  },
  { name: 'c: a stream labelled text/plain', type: 'text/plain', pieces: [ordinaryBody], ...stream, also: tokens(5) },
  { name: 'c: a stream without a type', type: undefined, pieces: [ordinaryBody], ...stream, also: tokens(5) },
  {
    name: 'c: a stream labelled application/octet-stream',
    type: 'application/octet-stream',
    pieces: [ordinaryBody],
    ...stream,
    also: tokens(5),
  },
  {
    name: 'c: a stream labelled application/json',
    type: 'application/json',
    pieces: [ordinaryBody],
    ...stream,
    also: tokens(5),
  },
  { name: 'c: a stream with an empty type', type: '', pieces: [ordinaryBody], ...stream, also: tokens(5) },
  {
    name: 'd: JSON labelled as a stream',
    type: 'text/event-stream',
    pieces: [whole],
    outcome: 'ok',
    ...noStream,
    also: tokens(5),
  },
  {
    name: 'd: plain text labelled as a stream',
    type: 'text/event-stream',
    pieces: ['just a text'],
    outcome: 'truncated',
    streamed: true,
    hasToken: false,
  },
  {
    name: 'e: the first read is a comment',
    type: 'text/event-stream',
    pieces: [': ping\n\n', ordinaryBody],
    ...stream,
    also: tokens(5),
  },
  {
    name: 'e: the first read is the begin of a name',
    type: 'text/plain',
    pieces: ['ev', 'ent: x\n', ordinaryBody],
    ...stream,
    also: tokens(5),
  },
  {
    name: 'e: the first read is one byte',
    type: 'text/event-stream',
    pieces: ['d', ordinaryBody.slice(1)],
    ...stream,
    also: tokens(5),
  },
  {
    name: 'f: odd case and a parameter',
    type: 'Text/Event-Stream; charset=utf-8',
    pieces: [ordinaryBody],
    ...stream,
    also: tokens(5),
  },
  {
    name: 'f: a parameter without a space',
    type: 'text/event-stream;charset=UTF-8',
    pieces: [ordinaryBody],
    ...stream,
    also: tokens(5),
  },
  {
    name: "g: a CDN's page",
    status: '502 Bad Gateway',
    type: 'text/html',
    pieces: [cdnPage],
    outcome: 'http_5xx',
    ...noStream,
  },
  { name: "g: a CDN's page with 200", type: 'text/html', pieces: [cdnPage], outcome: 'ok', ...noStream },
  {
    name: 'an error inside a 200 stream',
    type: 'text/event-stream',
    pieces: [`data: ${refusal}\n\n`],
    outcome: 'stream_error',
    streamed: true,
    hasToken: false,
  },
  {
    name: 'an error inside a 200 JSON body',
    type: 'application/json',
    pieces: [refusal],
    outcome: 'stream_error',
    ...noStream,
  },
  {
    name: 'an empty stream',
    type: 'text/event-stream',
    pieces: [],
    outcome: 'truncated',
    streamed: true,
    hasToken: false,
  },
]

for (const { name, asked = true, status = '200 OK', type, pieces, outcome, streamed, hasToken, also } of cases) {
  test(`B14 ${name}`, async (t) => {
    const head = headOf(`HTTP/1.1 ${status}`, [
      'transfer-encoding: chunked',
      ...(type === undefined ? [] : [`content-type: ${type}`]),
    ])
    const replay = await startReplay(t, async (_request, connection) => {
      await connection.write(head)
      let length = 0
      for (const piece of pieces) {
        await connection.chunk(piece)
        length += Buffer.from(piece as string).length
        await answer.seen(length)
      }
      await connection.last()
    })
    const answer = await replay.ask(chatRequest([], JSON.stringify({ model: 'm', ...(asked && { stream: true }) })))
    await assertExact(answer, { head, body: Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))) })
    const [record] = await assertOutcomes(replay.proxy, outcome)
    assert.equal(record?.streamed, streamed)
    assert.equal(record?.marks.firstToken !== undefined, hasToken)
    const metrics = await replay.proxy.metrics()
    assert.equal(sumIn(metrics, 'streamgauge_time_to_first_token_seconds_count'), hasToken ? 1 : 0)
    also?.(record as StreamMeasurement, metrics)
    await assertLive(replay)
  })
}

test('B14 d: what is labelled as a stream and holds no JSON in its events is counted', async (t) => {
  const head = headOf('HTTP/1.1 200 OK', ['content-type: text/event-stream', 'transfer-encoding: chunked'])
  const body = 'data: {broken\n\ndata: [DONE]\n\n'
  const replay = await startReplay(t, (_request, connection) => connection.write(Buffer.concat([head, chunked(body)])))
  await assertExact(await replay.ask(), { head, body })
  await assertOutcomes(replay.proxy, 'ok')
  assert.equal(sumIn(await replay.proxy.metrics(), 'streamgauge_measurement_errors_total', { stage: 'json' }), 1)
})
