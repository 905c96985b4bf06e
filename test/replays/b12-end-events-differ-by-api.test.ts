import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from '../../src/measurement/outcomes.ts'
import { requestBytes } from '../helpers/raw-client.ts'
import { assertExact, assertOutcomes, chunked, startReplay, streamHead } from '../helpers/replay.ts'

const named = (data: { type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const responsesStart = [
  named({ type: 'response.created', response: { id: 'r', status: 'in_progress' } } as never),
  ...['One', ' two', ' three'].map((delta) => named({ type: 'response.output_text.delta', delta } as never)),
].join('')
const usage = { input_tokens: 7, output_tokens: 3, total_tokens: 10 }
const responseEnd = (kind: string, more: object = {}): string =>
  named({ type: `response.${kind}`, response: { id: 'r', status: kind, usage, ...more } } as never)
const messagesStart = [
  named({
    type: 'message_start',
    message: { id: 'm', model: 'm', usage: { input_tokens: 7, output_tokens: 1 } },
  } as never),
  named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never),
  ...['One', ' two', ' three'].map((text) =>
    named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as never),
  ),
].join('')
const messagesEnd = [
  named({ type: 'content_block_stop', index: 0 } as never),
  named({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } } as never),
].join('')

const cases: readonly { name: string; target: string; body: string; outcome: Outcome; tokens: number | undefined }[] = [
  {
    name: 'a: response.completed, no [DONE]',
    target: '/v1/responses',
    body: responsesStart + responseEnd('completed'),
    outcome: 'ok',
    tokens: 3,
  },
  {
    name: 'b: a response that ends after a delta',
    target: '/v1/responses',
    body: responsesStart,
    outcome: 'truncated',
    tokens: undefined,
  },
  {
    name: 'c: message_stop',
    target: '/v1/messages',
    body: messagesStart + messagesEnd + named({ type: 'message_stop' }),
    outcome: 'ok',
    tokens: 3,
  },
  {
    name: 'c: a message without its message_stop',
    target: '/v1/messages',
    body: messagesStart + messagesEnd,
    outcome: 'truncated',
    tokens: 3,
  },
  {
    name: 'd: response.incomplete',
    target: '/v1/responses',
    body: responsesStart + responseEnd('incomplete', { incomplete_details: { reason: 'max_output_tokens' } }),
    outcome: 'ok',
    tokens: 3,
  },
  {
    name: 'e: response.failed',
    target: '/v1/responses',
    body: responsesStart + responseEnd('failed', { error: { code: 'server_error', message: 'sorry' } }),
    outcome: 'stream_error',
    tokens: 3,
  },
  {
    name: 'e: an error event of Messages',
    target: '/v1/messages',
    body: messagesStart + named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as never),
    outcome: 'stream_error',
    tokens: 1,
  },
  {
    name: 'f: Ollama says done',
    target: '/api/chat',
    body: '{"message":{"content":"One"},"done":false}\n{"message":{"content":""},"done":true,"prompt_eval_count":7,"eval_count":1}\n',
    outcome: 'ok',
    tokens: 1,
  },
  {
    name: 'f: Ollama ends before it is done',
    target: '/api/chat',
    body: '{"message":{"content":"One"},"done":false}\n',
    outcome: 'truncated',
    tokens: undefined,
  },
]

for (const { name, target, body, outcome, tokens } of cases) {
  test(`B12 ${name}`, async (t) => {
    const head =
      target === '/api/chat'
        ? streamHead().toString('latin1').replace('text/event-stream', 'application/x-ndjson')
        : streamHead()
    const replay = await startReplay(t, (_request, connection) =>
      connection.write(Buffer.concat([Buffer.from(head), chunked(body)])),
    )
    const request = requestBytes({ method: 'POST', target, body: '{"model":"m","stream":true}' })
    await assertExact(await replay.ask(request), { head: Buffer.from(head), body })
    const [record] = await assertOutcomes(replay.proxy, outcome)
    assert.equal(record?.tokens?.output, tokens)
    assert.notEqual(record?.marks.firstToken, undefined)
  })
}
