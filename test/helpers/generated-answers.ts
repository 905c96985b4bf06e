// Answers nobody would write by hand, for property tests.
import fc from 'fast-check'
import type { Operation } from '../../src/measurement/stream-measurement.ts'
import { operations } from '../../src/measurement/stream-measurement.ts'
import type { AnswerAbout } from './reference-reader.ts'

/** Every name that some format looks for, so that odd values stand where they are looked at. */
const names =
  'choices delta message content reasoning_content reasoning reasoning_details thinking_blocks tool_calls function custom name arguments input function_call audio data transcript refusal text thinking summary type index finish_reason usage model provider error code status metadata error_type object x_groq timings cache_n prompt_tokens completion_tokens total_tokens input_tokens output_tokens prompt_tokens_details completion_tokens_details cached_tokens reasoning_tokens cache_read_input_tokens cache_creation_input_tokens cache_creation ephemeral_5m_input_tokens cost cost_in_usd_ticks total_cost response output incomplete_details reason stop_reason content_block partial_json done done_reason eval_count prompt_eval_count __proto__'.split(
    ' ',
  )
const words = [
  ...[
    '',
    ' ',
    'a',
    'Salt',
    '\u{1f30a}',
    '\ud83c',
    '\n',
    '"\\',
    'error',
    'stop',
    'data: no\n\n',
    '[DONE]',
    'text',
    'thinking',
  ],
  ...['response.output_text.delta', 'response.reasoning_text.delta', 'response.function_call_arguments.delta'],
  ...['response.completed', 'response.failed', 'response.incomplete', 'completed', 'failed', 'in_progress'],
  ...['content_block_delta', 'content_block_start', 'message_start', 'message_delta', 'message_stop', 'tool_use'],
  ...['response.audio.delta', 'function_call', 'reasoning', 'message'],
]

const leaf = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...words) },
  fc.constantFrom(null, true, false, 0, 1, -1, 2, 7, 65_536, 1.5, 1e308, 2 ** 53),
  fc.string({ maxLength: 6 }),
)

export const oddJson: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    { weight: 4, arbitrary: fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 5 }) },
    fc.array(tie('value'), { maxLength: 3 }),
  ),
})).value

const chatDelta = fc.record(
  {
    content: fc.oneof(
      leaf,
      fc.array(fc.record({ type: leaf, text: leaf, thinking: oddJson }, { requiredKeys: [] }), { maxLength: 2 }),
    ),
    reasoning: leaf,
    reasoning_content: leaf,
    reasoning_details: oddJson,
    tool_calls: fc.array(fc.record({ function: fc.record({ name: leaf, arguments: oddJson }) }), { maxLength: 2 }),
    refusal: leaf,
    audio: oddJson,
  },
  { requiredKeys: [] },
)
const chatChunk = fc.record(
  {
    choices: fc.array(
      fc.record(
        { index: leaf, delta: chatDelta, message: chatDelta, text: leaf, finish_reason: leaf, usage: oddJson },
        { requiredKeys: [] },
      ),
      {
        maxLength: 3,
      },
    ),
    model: leaf,
    usage: oddJson,
    error: oddJson,
  },
  { requiredKeys: [] },
)
const typed = fc.record(
  {
    type: fc.constantFrom(...words),
    delta: fc.oneof(leaf, fc.dictionary(fc.constantFrom('text', 'thinking', 'partial_json', 'stop_reason'), leaf)),
    response: oddJson,
    message: oddJson,
    content_block: oddJson,
    usage: oddJson,
    item: oddJson,
  },
  { requiredKeys: ['type'] },
)
const lineObject = fc.record(
  { model: leaf, message: chatDelta, response: leaf, thinking: leaf, done: leaf, done_reason: leaf, eval_count: leaf },
  { requiredKeys: [] },
)
const message = fc.oneof(chatChunk, typed, lineObject, oddJson).map((value) => JSON.stringify(value))

const lineEnd = fc.constantFrom('\n', '\n', '\n', '\r\n', '\r')
const data = fc.oneof(
  { weight: 8, arbitrary: message },
  fc.constantFrom('[DONE]', ' [DONE]', '', ' ', '{', 'no json', '[DONE] and more', '{"a":1', 'nul\0', '\ufeff{}'),
)
const line = fc.oneof(
  { weight: 6, arbitrary: data.map((text) => `data: ${text}`) },
  data.map((text) => `data:${text}`),
  fc.constantFrom(
    'data',
    ':',
    ': comment',
    ':data: {}',
    'event: error',
    'event: ping',
    'event',
    'id: 1',
    'retry: 5',
    'dat',
    'datas: 1',
    ' data: 1',
  ),
  message.map((text) => text.replace(/,/g, ',\ndata: ').split('\n')[0] ?? ''),
)
const event = fc
  .tuple(fc.array(fc.tuple(line, lineEnd), { maxLength: 3 }), lineEnd)
  .map(([lines, end]) => lines.map(([text, ends]) => text + ends).join('') + end)

const sseBody = fc
  .tuple(
    fc.constantFrom('', '', '\ufeff', '\n'),
    fc.array(event, { maxLength: 8 }),
    fc.constantFrom('', '', 'data: {"x":1}', 'data: [DONE]', 'da', ': c'),
  )
  .map(([mark, events, rest]) => mark + events.join('') + rest)
const ndjsonBody = fc
  .tuple(
    fc.array(fc.tuple(fc.oneof(message, data), fc.constantFrom('\n', '\r\n', '\n\n')), { maxLength: 6 }),
    fc.oneof(fc.constant(''), message),
  )
  .map(([lines, rest]) => lines.map(([text, end]) => text + end).join('') + rest)
const jsonBody = fc.tuple(fc.constantFrom('', '\n\n', '\ufeff'), message).map(([before, text]) => before + text)

/** Damage: bytes replaced, taken out, or the rest cut off. */
const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.constantFrom('replace', 'replace', 'remove', 'cut')), {
  maxLength: 4,
})

export interface GeneratedAnswer extends AnswerAbout {
  readonly body: Buffer
}

export const generatedAnswer: fc.Arbitrary<GeneratedAnswer> = fc
  .record({
    body: fc.oneof({ weight: 4, arbitrary: sseBody }, ndjsonBody, jsonBody),
    harm: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, damage),
    operation: fc.constantFrom<Operation>(...operations),
    status: fc.constantFrom(200, 200, 200, 429, 500),
    contentType: fc.constantFrom(
      'text/event-stream',
      'Text/Event-Stream; charset=utf-8',
      'application/x-ndjson',
      'application/json',
      'text/plain',
      undefined,
    ),
    clean: fc.boolean(),
  })
  .map(({ body, harm, ...about }) => ({ ...about, body: damaged(Buffer.from(body), harm) }))

export function damaged(body: Buffer, harm: readonly (readonly [number, number, string])[]): Buffer {
  let bytes = Buffer.from(body)
  for (const [place, byte, kind] of harm) {
    if (bytes.length === 0) break
    const at = place % bytes.length
    if (kind === 'replace') bytes[at] = byte
    else if (kind === 'remove') bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])
    else bytes = bytes.subarray(0, at)
  }
  return bytes
}
