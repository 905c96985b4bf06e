import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestBytes } from '../helpers/raw-client.ts'
import { headOf } from '../helpers/raw-http.ts'
import { assertExact, assertOutcomes, chunked, ordinaryEvents, startReplay, streamHead } from '../helpers/replay.ts'

const without = (text: string, count: number): string => text.slice(0, -count)
const all = ordinaryEvents.join('')
const upToUsage = ordinaryEvents.slice(0, -1).join('')

for (const { name, body } of [
  { name: '[DONE] has no line end', body: without(all, 2) },
  { name: 'b: the usage event has no line end', body: without(upToUsage, 2) },
  { name: 'c: [DONE] has one line end', body: without(all, 1) },
  { name: 'c: the usage event has one line end', body: without(upToUsage, 1) },
  { name: '[DONE] ends in a bare CR', body: `${without(all, 2)}\r` },
  { name: 'the usage event ends in CRLF', body: `${without(upToUsage, 2)}\r\n` },
]) {
  for (const framing of ['chunks', 'its connection']) {
    test(`B13 ${name}, the body ends by ${framing}: nothing is added, and the tokens count`, async (t) => {
      const head =
        framing === 'chunks' ? streamHead() : Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n')
      const replay = await startReplay(t, async (_request, connection) => {
        await connection.write(Buffer.concat([head, framing === 'chunks' ? chunked(body) : Buffer.from(body)]))
        if (framing !== 'chunks') connection.fin()
      })
      await assertExact(await replay.ask(), { head, body })
      const [record] = await assertOutcomes(replay.proxy, 'ok')
      assert.equal(record?.tokens?.output, 5)
      assert.equal(record?.output.all.events, 5)
    })
  }
}

for (const { name, target, type, body, tokens } of [
  {
    name: 'Responses',
    target: '/v1/responses',
    type: 'text/event-stream',
    body: 'data: {"type":"response.output_text.delta","delta":"a"}\n\ndata: {"type":"response.completed","response":{"usage":{"input_tokens":1,"output_tokens":3}}}',
    tokens: 3,
  },
  {
    name: 'Messages',
    target: '/v1/messages',
    type: 'text/event-stream',
    body: 'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}\n\ndata: {"type":"message_delta","usage":{"output_tokens":3}}\n\nevent: message_stop\ndata: {"type":"message_stop"}',
    tokens: 3,
  },
  {
    name: 'Ollama',
    target: '/api/chat',
    type: 'application/x-ndjson',
    body: '{"message":{"content":"a"},"done":false}\n{"done":true,"eval_count":3}',
    tokens: 3,
  },
]) {
  test(`B13 the last event of ${name} has no line end`, async (t) => {
    const head = headOf('HTTP/1.1 200 OK', [`content-type: ${type}`, 'transfer-encoding: chunked'])
    const replay = await startReplay(t, (_request, connection) =>
      connection.write(Buffer.concat([head, chunked(body)])),
    )
    await assertExact(await replay.ask(requestBytes({ target, body: '{"model":"m","stream":true}' })), { head, body })
    const [record] = await assertOutcomes(replay.proxy, 'ok')
    assert.equal(record?.tokens?.output, tokens)
  })

  test(`B13 the last event of ${name} is cut in its middle: truncated, and no invalid event`, async (t) => {
    const head = headOf('HTTP/1.1 200 OK', [`content-type: ${type}`, 'transfer-encoding: chunked'])
    const cut = body.slice(0, -4)
    const replay = await startReplay(t, (_request, connection) => connection.write(Buffer.concat([head, chunked(cut)])))
    await assertExact(await replay.ask(requestBytes({ target, body: '{"model":"m","stream":true}' })), {
      head,
      body: cut,
    })
    const [record] = await assertOutcomes(replay.proxy, 'truncated')
    assert.equal(record?.output.invalidEvents, 0)
  })
}
