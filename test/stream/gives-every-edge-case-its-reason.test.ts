import assert from 'node:assert/strict'
import {
  call,
  chat,
  completion,
  delta,
  done,
  ending,
  finish,
  role,
  say,
  usage,
  usageOf,
} from '../helpers/chat-events.ts'
import { testCases } from '../helpers/figure-cases.ts'
import { drip, end, head, jsonHead, type Short } from '../helpers/scripted-exchange.ts'

const rates: readonly Short[] = ['tpot', 'tps', 'cps', 'eps']
const gaps: readonly Short[] = ['gaps', 'stall']
/** Without a first token. */
const withoutToken: readonly Short[] = ['ttft', 'answer', 'overhead', ...rates, ...gaps, 'burst']
const nothing: readonly Short[] = [...withoutToken, 'blended']
const times = { headers: 0.1, byte: 0.15 }
const first = { ...times, ttft: 0.5, answer: 0.5 }
const json = (body: string, status = 200) => [[100, jsonHead(status)] as const, [200, end(body)] as const]

const message = (data: Record<string, unknown>): string => `event: ${data['type']}\ndata: ${JSON.stringify(data)}\n\n`
const block = (delta: object): string => message({ type: 'content_block_delta', index: 0, delta })

testCases([
  {
    name: 'one token: no rate is told, never 0, NaN or Infinity',
    script: [
      [100, head],
      [150, role],
      [500, say('x')],
      [510, end(ending(1))],
    ],
    figures: { ...first, blended: 2, duration: 0.51 },
    missing: { too_few_tokens: rates, one_chunk: gaps },
  },
  {
    name: 'two tokens have a time per token, but no rate',
    script: [
      [100, head],
      [150, role],
      [500, say('x')],
      [700, say('y')],
      [710, end(ending(2))],
    ],
    figures: { ...first, tpot: 0.2, cps: 5, eps: 5, blended: 20 / 7, stall: 0.2, duration: 0.71 },
    missing: { too_few_tokens: ['tps'] },
  },
  {
    name: '15 tokens after the first chunk are too few for a rate',
    script: [[100, head], [150, role], ...drip(500, 100, 16, () => say('x')), [2010, end(ending(16))]],
    figures: { ...first, tpot: 0.1, cps: 10, eps: 10, blended: 8, stall: 0.1, burst: 0, duration: 2.01 },
    missing: { too_few_tokens: ['tps'] },
  },
  {
    name: '16 tokens after the first chunk are enough',
    script: [[100, head], [150, role], ...drip(500, 100, 17, () => say('x')), [2110, end(ending(17))]],
    figures: {
      ...first,
      tpot: 0.1,
      tps: 10,
      cps: 10,
      eps: 10,
      blended: 170 / 21,
      stall: 0.1,
      burst: 0,
      duration: 2.11,
    },
  },
  ...[
    ['an empty answer', finish() + usage(0) + done],
    ['a filtered answer', finish('content_filter') + usage(0) + done],
    ['a finish reason alone', finish()],
    ['[DONE] alone', done],
    ['empty and null content', say('') + delta({ content: null }) + delta({ reasoning: '' }) + ending(3)],
    ['an empty tool call', call({ arguments: '' }) + ending(3)],
  ].map(([what, text]) => ({
    name: `no output (${what}): nothing is told but times`,
    script: [
      [100, head],
      [150, role],
      [500, end(text as string)],
    ] as const,
    figures: { ...times, duration: 0.5 },
    missing: { no_output: nothing },
  })),
  {
    name: 'a window of under 50 ms: a time per token, and nothing per second',
    script: [
      [100, head],
      [150, role],
      [500, say('a')],
      [510, say('b').repeat(16)],
      [549, say('c')],
      [560, end(ending(18))],
    ],
    figures: { ...first, tpot: 49 / 17000, blended: 18000 / 549, stall: 0.039, burst: 15 / 18, duration: 0.56 },
    missing: { window_too_short: ['tps', 'cps', 'eps'] },
  },
  {
    name: 'a window of 50 ms is enough',
    script: [
      [100, head],
      [150, role],
      [500, say('a')],
      [510, say('b').repeat(16)],
      [550, say('c')],
      [560, end(ending(18))],
    ],
    figures: {
      ...first,
      tpot: 5 / 1700,
      tps: 340,
      cps: 340,
      eps: 340,
      blended: 1800 / 55,
      stall: 0.04,
      burst: 15 / 18,
      duration: 0.56,
    },
  },
  {
    name: 'not streamed: the blended rate and the duration',
    request: { stream: false },
    script: json(completion('Hello there', usageOf(10))),
    figures: { headers: 0.1, byte: 0.2, blended: 50, duration: 0.2 },
    missing: { not_streamed: withoutToken },
    check: ({ m }) => {
      assert.equal(m.streamed, false)
      assert.equal(m.output.contentChars, 11)
      assert.equal(m.finishReason, 'stop')
    },
  },
  {
    name: 'not streamed and no usage',
    request: { stream: false },
    script: json(completion('Hello there')),
    figures: { headers: 0.1, byte: 0.2, duration: 0.2 },
    missing: { not_streamed: withoutToken, no_usage: ['blended'] },
  },
  {
    name: 'a stream was asked, JSON came back',
    script: json(completion('Hello there', usageOf(10))),
    figures: { headers: 0.1, byte: 0.2, blended: 50, duration: 0.2 },
    missing: { not_streamed: withoutToken },
    check: ({ m }) => assert.equal(m.identity.streamAsked, true),
  },
  {
    name: 'a stream was asked, a JSON error came back: status and error are told, and no time of it',
    script: json('{"error":{"message":"no","type":"invalid_request_error","code":null}}', 400),
    figures: { duration: 0.2 },
    missing: { not_streamed: withoutToken, error: ['blended', 'headers', 'byte'] },
    outcome: 'http_4xx',
    error: 'invalid_request_error',
    check: ({ m }) => assert.equal(m.status, 400),
  },
  {
    name: 'a JSON body of 200 that holds an error',
    request: { stream: false },
    script: json('{"error":{"message":"no","type":"server_error"}}'),
    figures: { headers: 0.1, byte: 0.2, duration: 0.2 },
    missing: { not_streamed: withoutToken, error: ['blended'] },
    outcome: 'stream_error',
    error: 'server_error',
  },
  {
    name: 'no stream was asked, but one came: it is measured as one',
    request: { stream: false },
    script: [[100, head], [150, role], ...drip(500, 100, 21, () => say('abcd')), [2510, end(ending(21))]],
    figures: {
      ...first,
      tpot: 0.1,
      tps: 10,
      cps: 40,
      eps: 10,
      blended: 8.4,
      stall: 0.1,
      burst: 0,
      duration: 2.51,
    },
    check: ({ m }) => assert.equal(m.streamed, true),
  },
  {
    name: 'several choices: the first token of any, no token or character rates',
    request: { n: 2 },
    script: [
      [100, head],
      [150, role],
      ...drip(500, 100, 21, (index) => chat({ choices: [{ index: (index + 1) % 2, delta: { content: 'abcd' } }] })),
      [2510, end(finish() + chat({ choices: [{ index: 1, delta: {}, finish_reason: 'stop' }] }) + usage(21) + done)],
    ],
    figures: { ...first, eps: 10, blended: 8.4, stall: 0.1, burst: 0, duration: 2.51 },
    missing: { many_choices: ['tpot', 'tps', 'cps'] },
    check: ({ m }) => assert.equal(m.output.choices, 2),
  },
  {
    name: 'usage of fewer tokens than there were output events is not trusted',
    script: [[100, head], [150, role], ...drip(500, 100, 21, () => say('abcd')), [2510, end(ending(20))]],
    figures: { ...first, cps: 40, eps: 10, stall: 0.1, burst: 0, duration: 2.51 },
    missing: { usage_mismatch: ['tpot', 'tps', 'blended'] },
  },
  {
    name: 'usage of fewer tokens than output events once hidden reasoning is taken off',
    script: [
      [100, head],
      [150, role],
      ...drip(500, 100, 21, () => say('abcd')),
      [2510, end(finish() + usage(40, { completion_tokens_details: { reasoning_tokens: 20 } }) + done)],
    ],
    figures: { ...first, cps: 40, eps: 10, stall: 0.1, burst: 0, duration: 2.51 },
    missing: { usage_mismatch: ['tpot', 'tps', 'blended'] },
  },
  {
    name: 'a coding that nobody knows: times of bytes alone, and it is said',
    script: [
      [100, { head: 200, headers: { 'content-type': 'text/event-stream', 'content-encoding': 'x' } }],
      [150, role],
      [500, end(say('a') + ending(1))],
    ],
    figures: { ...times, duration: 0.5 },
    missing: { not_decoded: nothing },
    flags: ['not_decoded', 'measuring_failed'],
    measurementErrors: ['decode'],
  },
  {
    name: 'Messages summarise thinking without counting it: no token rates, characters of all',
    path: '/v1/messages',
    script: [
      [100, head],
      [150, message({ type: 'message_start', message: { model: 'm', usage: { input_tokens: 9, output_tokens: 1 } } })],
      ...drip(500, 100, 10, () => block({ type: 'thinking_delta', thinking: 'abcd' })),
      ...drip(1500, 100, 11, () => block({ type: 'text_delta', text: 'abcd' })),
      [
        2510,
        end(
          message({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 300 } }) +
            message({ type: 'message_stop' }),
        ),
      ],
    ],
    figures: { ...first, answer: 1.5, cps: 40, eps: 10, stall: 0.1, burst: 0, duration: 2.51 },
    missing: { summarised_reasoning: ['tpot', 'tps', 'blended'] },
    check: ({ m }) => assert.equal(m.tokens?.output, 300),
  },
  {
    name: 'Messages without thinking have token rates',
    path: '/v1/messages',
    script: [
      [100, head],
      [150, message({ type: 'message_start', message: { model: 'm', usage: { input_tokens: 9, output_tokens: 1 } } })],
      ...drip(500, 100, 21, () => block({ type: 'text_delta', text: 'abcd' })),
      [
        2510,
        end(
          message({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 21 } }) +
            message({ type: 'message_stop' }),
        ),
      ],
    ],
    figures: { ...first, tpot: 0.1, tps: 10, cps: 40, eps: 10, blended: 8.4, stall: 0.1, burst: 0, duration: 2.51 },
  },
])
