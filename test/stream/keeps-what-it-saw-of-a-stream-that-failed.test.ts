import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluate } from '../../src/measurement/figures.ts'
import { chat, completion, done, ending, finish, role, say, usage, usageOf } from '../helpers/chat-events.ts'
import { testCases } from '../helpers/figure-cases.ts'
import { assertFigures, drip, end, head, jsonHead, play, type Short, setStage } from '../helpers/scripted-exchange.ts'

const rates: readonly Short[] = ['tpot', 'tps', 'cps', 'eps', 'blended']
const gaps: readonly Short[] = ['gaps', 'stall']
/** Without a first token. */
const nothing: readonly Short[] = ['ttft', 'answer', 'overhead', ...rates, ...gaps, 'burst']
const first = { headers: 0.1, byte: 0.15, ttft: 0.5, answer: 0.5 }
const start = [[100, head] as const, [150, role] as const]
const words = drip(500, 100, 21, () => say('abcd'))
const failed = { ...first, stall: 0.1, burst: 0 }
const errorEvent = 'data: {"error":{"message":"overloaded","type":"server_error","code":503}}\n\n'
const abandoned = { headers: undefined, byte: undefined, ttft: undefined, answer: undefined }

testCases([
  {
    name: 'an error event before any token',
    script: [...start, [500, end(errorEvent)]],
    figures: { headers: 0.1, byte: 0.15, duration: 0.5 },
    missing: { error: nothing },
    outcome: 'stream_error',
    error: 'server_error',
  },
  {
    name: 'an error event after the first token: what came is kept, no rate',
    script: [...start, ...words, [2510, end(errorEvent)]],
    figures: { ...failed, duration: 2.51 },
    missing: { incomplete: rates },
    outcome: 'stream_error',
    error: 'server_error',
  },
  {
    name: 'an error event after the first token, though usage was seen',
    script: [...start, ...words, [2505, usage(21)], [2510, end(errorEvent + done)]],
    figures: { ...failed, duration: 2.51 },
    missing: { incomplete: rates },
    outcome: 'stream_error',
    error: 'server_error',
    check: ({ m }) => assert.equal(m.tokens?.output, 21),
  },
  {
    name: 'an error event, then a reset: the error is what happened',
    script: [...start, ...words, [2505, errorEvent], [2510, { cut: 'reset' }]],
    figures: { ...failed, duration: 2.51 },
    missing: { incomplete: rates },
    outcome: 'stream_error',
    error: 'server_error',
  },
  {
    name: 'a client that leaves because of an error event: the error is what happened',
    script: [...start, ...words, [2505, errorEvent], [2510, 'leave']],
    figures: { ...failed, duration: 2.51 },
    missing: { incomplete: rates },
    outcome: 'stream_error',
    error: 'server_error',
  },
  {
    name: 'a client that leaves because of an error event before any token is no abandoned wait',
    script: [...start, [500, errorEvent], [510, 'leave']],
    figures: { headers: 0.1, byte: 0.15, duration: 0.51 },
    missing: { error: nothing },
    outcome: 'stream_error',
    error: 'server_error',
  },
  ...(['reset', 'fin'] as const).flatMap((cut) => [
    {
      name: `a ${cut} after the first token`,
      script: [...start, ...words, [2510, { cut }] as const],
      figures: { ...failed, duration: 2.51 },
      missing: { incomplete: rates },
      outcome: 'gateway_error' as const,
      error: 'reset',
    },
    {
      name: `a ${cut} though usage and a finish reason were seen`,
      script: [...start, ...words, [2505, finish() + usage(21)] as const, [2510, { cut }] as const],
      figures: { ...failed, duration: 2.51 },
      missing: { incomplete: rates },
      outcome: 'gateway_error' as const,
      error: 'reset',
    },
    {
      name: `a ${cut} after [DONE] takes nothing away`,
      script: [...start, ...words, [2505, ending(21)] as const, [2510, { cut }] as const],
      figures: { ...failed, tpot: 0.1, tps: 10, cps: 40, eps: 10, blended: 8.4, duration: 2.51 },
    },
    {
      name: `a ${cut} before any token`,
      script: [...start, [500, { cut }] as const],
      figures: { headers: 0.1, byte: 0.15, duration: 0.5 },
      missing: { error: nothing },
      outcome: 'gateway_error' as const,
      error: 'reset',
    },
  ]),
  {
    name: 'an answer that ends properly without its end event is truncated',
    script: [...start, ...words, [2510, end()]],
    figures: { ...failed, duration: 2.51 },
    missing: { incomplete: rates },
    outcome: 'truncated',
    error: 'no_end_event',
  },
  {
    name: 'truncated though usage was seen',
    script: [...start, ...words, [2510, end(usage(21))]],
    figures: { ...failed, duration: 2.51 },
    missing: { incomplete: rates },
    outcome: 'truncated',
    error: 'no_end_event',
  },
  {
    name: 'truncated after a single chunk: incomplete comes before one_chunk',
    script: [...start, [500, say('a')], [510, end()]],
    figures: { ...first, duration: 0.51 },
    missing: { incomplete: [...rates, ...gaps] },
    outcome: 'truncated',
    error: 'no_end_event',
  },
  {
    name: 'a finish reason without [DONE] is an end',
    script: [...start, ...words, [2510, end(finish() + usage(21))]],
    figures: { ...failed, tpot: 0.1, tps: 10, cps: 40, eps: 10, blended: 8.4, duration: 2.51 },
  },
  {
    name: '[DONE] without a finish reason is an end',
    script: [...start, ...words, [2510, end(usage(21) + done)]],
    figures: { ...failed, tpot: 0.1, tps: 10, cps: 40, eps: 10, blended: 8.4, duration: 2.51 },
  },
  {
    name: 'an error status with an event-stream label',
    script: [
      [100, { head: 500, headers: { 'content-type': 'text/event-stream' } }],
      [200, end(errorEvent)],
    ],
    figures: { duration: 0.2 },
    missing: { error: [...nothing, 'headers', 'byte'] },
    outcome: 'http_5xx',
    error: 'server_error',
  },
  {
    name: '429 is told apart',
    script: [
      [100, jsonHead(429)],
      [200, end('{"error":{"type":"rate_limit_exceeded"}}')],
    ],
    figures: { duration: 0.2 },
    missing: { not_streamed: nothing.filter((name) => name !== 'blended'), error: ['blended', 'headers', 'byte'] },
    outcome: 'rate_limited',
    error: 'rate_limit_exceeded',
  },
  {
    name: 'the client leaves after the first token',
    script: [...start, ...words.slice(0, 3), [1500, 'leave']],
    figures: { ...first, stall: 0.1, duration: 1.5 },
    missing: { incomplete: rates },
    outcome: 'client_abort',
    error: 'left_mid_answer',
  },
  {
    name: 'the client leaves after the head, before the first byte: an abandoned wait',
    script: [
      [100, head],
      [700, 'leave'],
    ],
    figures: { headers: 0.1, duration: 0.7, abandoned: 0.7 },
    missing: { client_left: [...nothing, 'byte'] },
    outcome: 'client_abort',
    error: 'left_mid_answer',
  },
  {
    name: 'the client leaves after comments and a role: still before the first token',
    script: [...start, [200, ': ping\n\n'], [700, 'leave']],
    figures: { headers: 0.1, byte: 0.15, duration: 0.7, abandoned: 0.7 },
    missing: { client_left: nothing },
    outcome: 'client_abort',
    error: 'left_mid_answer',
  },
  {
    name: 'the client leaves before the headers: an abandoned wait',
    script: [[700, 'leave']],
    figures: { ...abandoned, duration: 0.7, abandoned: 0.7 },
    missing: { client_left: [...nothing, 'headers', 'byte'] },
    outcome: 'client_abort',
    error: 'left_before_headers',
  },
  {
    name: 'a client that leaves a whole answer is no abandoned wait',
    request: { stream: false },
    script: [
      [100, jsonHead()],
      [150, completion('Hello', usageOf(2)).slice(0, 20)],
      [700, 'leave'],
    ],
    figures: { headers: 0.1, byte: 0.15, duration: 0.7 },
    missing: { not_streamed: nothing.filter((name) => name !== 'blended'), client_left: ['blended'] },
    outcome: 'client_abort',
    error: 'left_mid_answer',
  },
  ...(
    [
      ['[DONE]', ending(21)],
      ['a finish reason', finish('stop', usageOf(21))],
    ] as const
  ).map(([what, last]) => ({
    name: `a client that closes right after ${what} has had the whole answer`,
    script: [...start, ...words, [2505, last] as const, [2510, 'leave'] as const],
    figures: { ...failed, tpot: 0.1, tps: 10, cps: 40, eps: 10, blended: 8.4, duration: 2.51 },
  })),
  {
    name: 'a choice that finished with an error',
    script: [
      ...start,
      ...words,
      [2510, end(chat({ choices: [{ index: 0, delta: {}, finish_reason: 'error' }], error: { code: 502 } }) + done)],
    ],
    figures: { ...failed, duration: 2.51 },
    missing: { incomplete: rates },
    outcome: 'stream_error',
    error: '502',
  },
])

test('the gateway is told at once when the client leaves, at every moment', { timeout: 10_000 }, async (t) => {
  const { clock, gateway, proxy } = await setStage(t)
  const scripts = [
    [[700, 'leave'] as const],
    [[100, head] as const, [700, 'leave'] as const],
    [...start, [500, say('a')] as const, [700, 'leave'] as const],
  ]
  for (const script of scripts) {
    const next = gateway.next
    let gone: Promise<void> | undefined
    const watched = {
      ...gateway,
      next: async () => {
        const held = await next()
        gone = held.gone
        return held
      },
    }
    const told = await play({ clock, gateway: watched, proxy }, script)
    assert.equal(told.m.outcome, 'client_abort')
    await gone
  }
})

test('a gateway that refuses connections: an error, and no time of an answer', { timeout: 10_000 }, async (t) => {
  const { proxy, gateway } = await setStage(t)
  await gateway.close()
  const answer = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', stream: true }),
  })
  assert.equal(answer.status, 502)
  const m = await proxy.measurement()
  assert.equal(m.outcome, 'gateway_error')
  const { figures, unmeasured } = evaluate(m)
  assertFigures(
    { m, figures, unmeasured, line: {}, flags: [] },
    { duration: 0 },
    { error: [...nothing, 'headers', 'byte', 'connect'] },
  )
})
