import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Said, saidOfBody, saidOfEvents } from '../helpers/said-of-answer.ts'

const ends = ({ facts }: Said): readonly unknown[] => [
  facts.finishReason,
  facts.endSeen,
  facts.protocolEndSeen,
  facts.error,
]

test('Responses: deltas by what they are of', () => {
  const said = saidOfEvents('responses', [
    { type: 'response.output_text.delta', delta: 'a' },
    { type: 'response.refusal.delta', delta: 'bc' },
    { type: 'response.audio.transcript.delta', delta: 'def' },
    { type: 'response.audio.delta', delta: 'UklGRg==' },
    { type: 'response.reasoning_text.delta', delta: 'hm' },
    { type: 'response.reasoning_summary_text.delta', delta: 'so' },
    { type: 'response.function_call_arguments.delta', delta: '{}' },
    { type: 'response.mcp_call_arguments.delta', delta: '{}' },
    { type: 'response.custom_tool_call_input.delta', delta: 'ls' },
    { type: 'response.code_interpreter_call_code.delta', delta: 'x=1' },
    { type: 'response.something_new.delta', delta: 'n' },
    { type: 'response.output_text.delta', delta: '' },
    { type: 'response.output_text.delta', delta: null },
  ])
  assert.deepEqual([said.phases, said.chars], ['a a a a r r a a a a a - -', [7, 4, 9]])
})

test('Responses: what is no delta is no output', () => {
  const said = saidOfEvents('responses', [
    { type: 'response.created', response: { model: 'm', status: 'in_progress' } },
    { type: 'response.output_item.added', item: { type: 'function_call', name: 'add', arguments: '' } },
    { type: 'response.output_text.done', text: 'ab' },
    { type: 'response.image_generation_call.partial_image', partial_image_b64: 'AAAA' },
    { type: 'keepalive', sequence_number: 3 },
    { delta: 'x' },
  ])
  assert.deepEqual([said.phases, said.facts.servedModel], ['- - - - - -', 'm'])
})

test('Responses: each end, and none', () => {
  const end = (type: string, response: object): Said =>
    saidOfEvents('responses', [{ type: `response.${type}`, response }])
  const usage = { input_tokens: 9, output_tokens: 5, input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 } }
  const completed = end('completed', { status: 'completed', usage })
  assert.deepEqual(ends(completed), ['completed', true, true, undefined])
  assert.deepEqual(completed.usage, { input: 9, output: 5, cachedInput: 4, cacheWriteInput: 2 })
  assert.deepEqual(ends(end('incomplete', { incomplete_details: { reason: 'content_filter' } })), [
    'content_filter',
    true,
    true,
    undefined,
  ])
  assert.deepEqual(ends(end('incomplete', {})), ['incomplete', true, true, undefined])
  assert.deepEqual(ends(end('failed', { error: { code: 'server_error' } })), ['failed', true, true, 'server_error'])
  assert.deepEqual(ends(saidOfEvents('responses', [{ type: 'response.output_text.delta', delta: 'a' }])), [
    undefined,
    false,
    false,
    undefined,
  ])
})

test('Responses: [DONE] is no end of its own, and nothing after it is read', () => {
  const said = saidOfEvents('responses', ['[DONE]', { type: 'response.completed', response: {} }])
  assert.deepEqual([ends(said), said.facts.invalidEvents], [[undefined, false, false, undefined], 0])
})

test('Responses: a whole answer', () => {
  const said = saidOfBody('responses', {
    status: 'completed',
    model: 'm',
    error: null,
    output: [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'so' }] },
      { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'hmm' }], summary: [{ text: 'h' }] },
      {
        type: 'message',
        content: [
          { type: 'output_text', text: 'ab' },
          { type: 'refusal', refusal: 'c' },
        ],
      },
      { type: 'function_call', name: 'add', arguments: '{}' },
      { type: 'custom_tool_call', name: 'sh', input: 'ls' },
      { type: 'image_generation_call', result: 'AAAA' },
    ],
    usage: { input_tokens: 6, output_tokens: 4 },
  })
  assert.deepEqual(
    [said.chars, ends(said)],
    [
      [3, 5, 9],
      ['completed', true, false, undefined],
    ],
  )
  assert.deepEqual(ends(saidOfBody('responses', { status: 'in_progress', output: [] })), [
    undefined,
    false,
    false,
    undefined,
  ])
  assert.deepEqual(
    ends(saidOfBody('responses', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })),
    ['max_output_tokens', true, false, undefined],
  )
})

test('Messages: a refusal without a token, tools of servers, citations, a block that starts with text', () => {
  const refusal = saidOfEvents('messages', [
    { type: 'message_start', message: { model: 'm', usage: { input_tokens: 3, output_tokens: 1 } } },
    { type: 'message_delta', delta: { stop_reason: 'refusal' }, usage: { output_tokens: 0 } },
    { type: 'message_stop' },
  ])
  assert.deepEqual([refusal.phases, ends(refusal)], ['- - -', ['refusal', true, true, undefined]])
  assert.deepEqual(refusal.usage, { input: 3, output: 0 })
  const blocks = saidOfEvents('messages', [
    { type: 'content_block_start', content_block: { type: 'server_tool_use', name: 'web_search', input: {} } },
    { type: 'content_block_start', content_block: { type: 'mcp_tool_use', name: 'm', input: {} } },
    { type: 'content_block_start', content_block: { type: 'tool_use', name: '' } },
    { type: 'content_block_start', content_block: { type: 'text', text: '' } },
    { type: 'content_block_start', content_block: { type: 'web_search_tool_result', content: [] } },
    { type: 'content_block_delta', delta: { type: 'citations_delta', citation: { cited_text: 'x' } } },
    { type: 'content_block_delta', delta: { type: 'signature_delta', signature: 'x' } },
    { type: 'ping' },
  ])
  assert.deepEqual([blocks.phases, blocks.chars], ['a a - - - - - -', [0, 0, 11]])
})

test('Messages: a stop reason alone is no end', () => {
  assert.deepEqual(ends(saidOfEvents('messages', [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }])), [
    'end_turn',
    false,
    false,
    undefined,
  ])
})

test('Messages: thinking that is streamed is a summary that usage does not count', () => {
  const thinking = { type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'hm' } }
  const text = { type: 'content_block_delta', delta: { type: 'text_delta', text: 'hm' } }
  assert.equal(saidOfEvents('messages', [thinking]).facts.reasoningSummarised, true)
  assert.equal(saidOfEvents('messages', [text]).facts.reasoningSummarised, false)
  assert.equal(saidOfEvents('chat', [{ choices: [{ delta: { reasoning: 'hm' } }] }]).facts.reasoningSummarised, false)
})

test('Messages: a whole answer, with its input beside the cache', () => {
  const said = saidOfBody('messages', {
    type: 'message',
    model: 'm',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'abc' },
      { type: 'tool_use', name: 'tide', input: { at: 'Ebb' } },
      { type: 'redacted_thinking', data: 'AAAA' },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 3, output_tokens: 9, cache_read_input_tokens: 5, cache_creation_input_tokens: 0 },
  })
  assert.deepEqual(
    [said.chars, ends(said)],
    [
      [3, 2, 16],
      ['tool_use', true, false, undefined],
    ],
  )
  assert.equal(said.facts.inputAccounting, 'beside_cache')
  assert.deepEqual(said.usage, { input: 3, output: 9, cachedInput: 5, cacheWriteInput: 0 })
})

test('Ollama: chat with thinking and tools, generate, errors', () => {
  const chat = saidOfEvents('ollama_chat', [
    { model: 'm', message: { role: 'assistant', content: '', thinking: 'hm' }, done: false },
    {
      model: 'm',
      message: { content: '', tool_calls: [{ function: { name: 'tide', arguments: { at: 'Ebb' } } }] },
      done: false,
    },
    { model: 'm', message: { content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 9 },
  ])
  assert.deepEqual([chat.phases, chat.chars, ends(chat)], ['r a -', [0, 2, 16], ['stop', true, true, undefined]])
  assert.deepEqual(chat.usage, { input: 3, output: 9 })
  const generate = saidOfEvents('ollama_generate', [
    { model: 'm', response: 'ab', done: false },
    { model: 'm', thinking: 'hm', response: '', done: false },
    { model: 'm', response: '', done: true, context: [1, 2] },
  ])
  assert.deepEqual([generate.phases, generate.chars, generate.facts.endSeen], ['a r -', [2, 2, 0], true])
  assert.equal(saidOfEvents('ollama_chat', [{ error: 'model not found' }]).facts.error, 'model not found')
})

test('Ollama: a whole answer, and one that was cut off', () => {
  const whole = saidOfBody('ollama_chat', {
    model: 'm',
    message: { content: 'ab' },
    done: true,
    done_reason: 'stop',
    eval_count: 2,
  })
  assert.deepEqual(
    [whole.chars, ends(whole), whole.facts.streamed],
    [[2, 0, 0], ['stop', true, true, undefined], false],
  )
  const cutOff = saidOfEvents('ollama_chat', [{ message: { content: 'ab' }, done: false }], false)
  assert.deepEqual([cutOff.chars, cutOff.facts.endSeen], [[2, 0, 0], false])
})
