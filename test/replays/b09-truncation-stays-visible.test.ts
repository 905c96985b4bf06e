import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CutAnswer } from '../../src/report/cut-answers.ts'
import { curl } from '../helpers/curl.ts'
import { sumIn } from '../helpers/exposition.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { type RawConnection, startRawGateway } from '../helpers/raw-gateway.ts'
import { chunk, headOf, lastChunk } from '../helpers/raw-http.ts'
import {
  assertExact,
  assertLive,
  assertOutcomes,
  bothKinds,
  chatBody,
  chatRequest,
  ordinaryBody,
  ordinaryEvents,
  startReplay,
  streamHead,
} from '../helpers/replay.ts'
import { serveProcess } from '../helpers/served-process.ts'
import { requireTool } from '../helpers/tools.ts'

const begun = ordinaryEvents.slice(0, 3).join('')

interface Cut {
  readonly name: string
  readonly head: Buffer
  readonly body: string
  /** Bytes on the wire after the head, before the end. */
  readonly wire: Buffer
  readonly end: (connection: RawConnection) => void
}

const reset = (connection: RawConnection): void => connection.reset()
const fin = (connection: RawConnection): void => connection.fin()
const withLength = headOf('HTTP/1.1 200 OK', ['content-type: text/event-stream', 'content-length: 1000'])
const untilClose = headOf('HTTP/1.1 200 OK', ['content-type: text/event-stream', 'connection: close'])

const cuts: readonly Cut[] = [
  { name: 'a: reset', head: streamHead(), body: begun, wire: chunk(begun), end: reset },
  { name: 'a: FIN between chunks', head: streamHead(), body: begun, wire: chunk(begun), end: fin },
  {
    name: 'b: FIN inside a chunk',
    head: streamHead(),
    body: begun,
    wire: Buffer.concat([Buffer.from(`${(begun.length + 50).toString(16)}\r\n`), Buffer.from(begun)]),
    end: fin,
  },
  { name: 'c: FIN short of the length', head: withLength, body: begun, wire: Buffer.from(begun), end: fin },
  { name: 'c: reset short of the length', head: withLength, body: begun, wire: Buffer.from(begun), end: reset },
  {
    name: 'a: reset of an answer that ends with its connection',
    head: untilClose,
    body: begun,
    wire: Buffer.from(begun),
    end: reset,
  },
]

/** One warning a cut: gateway, bytes, and how old the last event was when it came. */
function assertWarned(cuts: readonly CutAnswer[], outcome: string, bytes: number, kind: string): void {
  assert.equal(cuts.length, 1)
  const { id, error, last_event_age_ms: age, ...rest } = cuts[0] as CutAnswer
  assert.deepEqual(rest, { gateway: 'default', outcome, bytes })
  assert.match(id, /./)
  assert.match(String(error), /^[a-z_]+$/)
  if (kind === 'a generation') assert.ok(age !== null && age >= 0, `${age}`)
  else assert.equal(age, null)
}

for (const { name, head, body, wire, end } of cuts) {
  for (const kind of ['a generation', 'passed through']) {
    test(`B09 ${name}, ${kind}: what came is passed on, and the cut is seen`, async (t) => {
      const warnings: CutAnswer[] = []
      const replay = await startReplay(
        t,
        async (_request, connection) => {
          await connection.write(Buffer.concat([head, wire]))
          await answer.seen(body.length)
          end(connection)
        },
        { onCut: (cut) => void warnings.push(cut) },
      )
      const answer = await replay.ask(kind === 'a generation' ? chatRequest() : requestBytes())
      const got = await answer.over()
      assert.equal(got.body.toString(), body)
      assert.equal(got.complete, false)
      const [record] = await assertOutcomes(replay.proxy, 'gateway_error')
      assert.ok(['reset', 'closed', 'length_mismatch'].includes(record?.error ?? ''), record?.error)
      assertWarned(warnings, 'gateway_error', body.length, kind)
      if (kind === 'a generation') {
        const text = await replay.proxy.metrics()
        assert.equal(sumIn(text, 'streamgauge_time_to_first_token_seconds_count'), 1)
        assert.equal(sumIn(text, 'streamgauge_output_tokens_per_second_count'), 0)
      }
      await assertLive(replay)
    })
  }
}

test('B09 a: curl calls the cut by its name', async (t) => {
  if (!requireTool(t, 'curl')) return
  const replay = await startReplay(t, async (_request, connection) => {
    await connection.write(Buffer.concat([streamHead(), chunk(begun)]))
    connection.reset()
  })
  const { exitCode } = await curl(['--data', chatBody, `${replay.proxy.url}/v1/chat/completions`])
  assert.ok(exitCode === 18 || exitCode === 56, `curl ended with ${exitCode}`)
})

test('B09 d: without length, chunks and end event the answer is whole for HTTP and truncated for us', async (t) => {
  const replay = await startReplay(t, async (_request, connection) => {
    await connection.write(Buffer.concat([untilClose, Buffer.from(begun)]))
    connection.fin()
  })
  await assertExact(await replay.ask(), { head: untilClose, body: begun })
  const [record] = await assertOutcomes(replay.proxy, 'truncated')
  assert.notEqual(record?.marks.firstToken, undefined)
  await assertLive(replay)
})

for (const { kind, request } of bothKinds) {
  test(`B09 d: reset together with the last bytes of an answer that ends with its connection, ${kind}: a cut that is seen`, async (t) => {
    const replay = await startReplay(t, async (_request, connection) => {
      await connection.write(Buffer.concat([untilClose, Buffer.from(begun)]))
      connection.reset()
    })
    for (let n = 0; n < 20; n++) {
      const got = await (await replay.ask(request())).over()
      // The kernel may throw away what was not read yet.
      if (got.status === 200) assert.deepEqual([got.complete, got.framing], [false, 'chunked'])
      else assert.equal(got.status, 502)
    }
    const records = await assertOutcomes(replay.proxy, ...Array.from({ length: 20 }, () => 'gateway_error' as const))
    for (const { error } of records) assert.equal(error, 'reset')
  })
}

test('B09 e: a proper terminator without an end event is truncated', async (t) => {
  const warnings: CutAnswer[] = []
  const replay = await startReplay(
    t,
    async (_request, connection) => {
      await connection.write(Buffer.concat([streamHead(), chunk(begun), Buffer.from(lastChunk)]))
    },
    { onCut: (cut) => void warnings.push(cut) },
  )
  await assertExact(await replay.ask(), { head: streamHead(), body: begun })
  await assertOutcomes(replay.proxy, 'truncated')
  assertWarned(warnings, 'truncated', begun.length, 'a generation')
})

test('B09 serve writes one warning line a cut, and none for an answer that is whole or refused', async (t) => {
  const gateway = await startRawGateway(t, async (_request, connection, n) => {
    if (n === 0) await connection.write(Buffer.concat([streamHead(), chunk(ordinaryBody), Buffer.from(lastChunk)]))
    else if (n === 1) connection.reset()
    else {
      await connection.write(Buffer.concat([streamHead(), chunk(begun)]))
      connection.reset()
    }
  })
  const served = await serveProcess(t, gateway.url, { yaml: 'log: { exchanges: false }' })
  for (let n = 0; n < 3; n++) await (await openRawClient(t, served.proxyUrl)).ask(chatRequest()).over()
  const line = await served.logged('answer cut off')
  assert.deepEqual(
    [line['level'], line['gateway'], line['outcome'], line['error']],
    [40, 'default', 'gateway_error', 'reset'],
  )
  served.kill('SIGTERM')
  await served.exited
  assert.equal(served.lines().filter(({ msg }) => msg === 'answer cut off').length, 1)
})

test('B09 f: a reset after [DONE] and before the terminator takes nothing away', async (t) => {
  const replay = await startReplay(t, async (_request, connection) => {
    await connection.write(Buffer.concat([streamHead(), chunk(ordinaryBody)]))
    await answer.seen('[DONE]')
    connection.reset()
  })
  const answer = await replay.ask()
  const got = await answer.over()
  assert.equal(got.body.toString(), ordinaryBody)
  assert.equal(got.complete, false, 'the cut is not mended')
  await assertOutcomes(replay.proxy, 'ok')
})

for (const { kind, startLine } of [
  { kind: 'a generation', startLine: 'POST /v1/chat/completions HTTP/1.0' },
  { kind: 'passed through', startLine: 'GET /v1/models HTTP/1.0' },
]) {
  const request = (): Buffer => {
    const bytes = kind === 'a generation' ? chatRequest() : requestBytes()
    return Buffer.concat([Buffer.from(startLine), bytes.subarray(bytes.indexOf('\r\n'))])
  }

  test(`B09 a client of HTTP/1.0 gets a stream without chunks, and its end by the connection, ${kind}`, async (t) => {
    const replay = await startReplay(t, (_request, connection) =>
      connection.write(Buffer.concat([streamHead(), chunk(ordinaryBody), Buffer.from(lastChunk)])),
    )
    const client = await replay.open()
    const got = await client.ask(request()).over()
    assert.deepEqual([got.framing, got.complete, got.body.toString()], ['close', true, ordinaryBody])
    assert.equal(await client.closed, 'fin')
    await assertOutcomes(replay.proxy, 'ok')
  })

  for (const { name, end } of [
    { name: 'FIN', end: fin },
    { name: 'reset', end: reset },
  ]) {
    test(`B09 a client of HTTP/1.0 sees a cut by ${name} as a reset: only that can tell, ${kind}`, async (t) => {
      const replay = await startReplay(t, async (_request, connection) => {
        await connection.write(Buffer.concat([streamHead(), chunk(begun)]))
        await answer.seen(begun)
        end(connection)
      })
      const client = await replay.open()
      const answer = client.ask(request())
      assert.equal(await client.closed, 'reset')
      assert.equal(answer.message.body.toString(), begun)
      await assertOutcomes(replay.proxy, 'gateway_error')
    })
  }
}

for (const { name, target, events, last } of [
  {
    name: 'Messages',
    target: '/v1/messages',
    events:
      'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}\n\n',
    last: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  },
  {
    name: 'Responses',
    target: '/v1/responses',
    events: 'data: {"type":"response.output_text.delta","delta":"a"}\n\n',
    last: 'data: {"type":"response.completed","response":{}}\n\n',
  },
  {
    name: 'completions',
    target: '/v1/completions',
    events: 'data: {"choices":[{"text":"a"}]}\n\n',
    last: 'data: [DONE]\n\n',
  },
]) {
  for (const { when, outcome } of [
    { when: 'before', outcome: 'gateway_error' },
    { when: 'after', outcome: 'ok' },
  ] as const) {
    test(`B09 f: ${name}: a reset ${when} its end event`, async (t) => {
      const body = events + (when === 'after' ? last : '')
      const replay = await startReplay(t, async (_request, connection) => {
        await connection.write(Buffer.concat([streamHead(), chunk(body)]))
        await answer.seen(body)
        connection.reset()
      })
      const answer = await replay.ask(requestBytes({ target, body: '{"model":"m","stream":true}' }))
      const got = await answer.over()
      assert.deepEqual([got.complete, got.body.toString()], [false, body])
      const [record] = await assertOutcomes(replay.proxy, outcome)
      assert.notEqual(record?.marks.firstToken, undefined)
    })
  }
}
