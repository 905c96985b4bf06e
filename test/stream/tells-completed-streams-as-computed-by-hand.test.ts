import assert from 'node:assert/strict'
import { call, chat, done, ending, finish, role, say, think, usage, usageOf } from '../helpers/chat-events.ts'
import { testCases } from '../helpers/figure-cases.ts'
import { drip, end, head } from '../helpers/scripted-exchange.ts'

// 21 events, 100 ms apart: 20 gaps, a window of 2 s. With 21 tokens N1 = round(21 * 1 / 21) = 1.
const words = drip(500, 100, 21, () => say('abcd'))
const plain = {
  ttft: 0.5,
  answer: 0.5,
  headers: 0.1,
  byte: 0.15,
  tpot: 0.1,
  tps: 10,
  cps: 40,
  eps: 10,
  blended: 210 / 25,
  stall: 0.1,
  burst: 0,
  duration: 2.51,
}

testCases([
  {
    name: 'a plain stream: every figure by its formula',
    script: [[100, head], [150, role], ...words, [2510, end(ending(21))]],
    figures: plain,
    check: ({ m, line }) => {
      assert.deepEqual(m.marks, {
        received: 0,
        bodyReceived: 0,
        dispatched: 0,
        sent: 0,
        headers: 100,
        firstByte: 150,
        firstEvent: 150,
        firstReasoning: undefined,
        firstAnswer: 500,
        firstToken: 500,
        lastToken: 2500,
        firstTokenForwarded: 500,
        ended: 2510,
      })
      assert.equal(m.gaps.count, 20)
      assert.equal(m.gaps.sum.toFixed(9), '2.000000000')
      assert.deepEqual(line['output'], {
        events: 21,
        chunks: 21,
        bytes: m.output.bytes,
        content_chars: 84,
        reasoning_chars: 0,
        tool_chars: 0,
        comments: 0,
        invalid_events: 0,
        end_seen: true,
      })
      assert.equal(line['served_model'], 'm-served')
      assert.equal(line['finish_reason'], 'stop')
      assert.equal(line['uncertainty_ms'], 0)
    },
  },
  {
    name: 'usage absent: no token figures, yet characters and events per second',
    script: [[100, head], [150, role], ...words, [2510, end(finish() + done)]],
    figures: { ...plain, tpot: undefined, tps: undefined, blended: undefined },
    missing: { no_usage: ['tpot', 'tps', 'blended'] },
    check: ({ line }) => assert.equal(line['tokens'], null),
  },
  {
    name: 'comments and keep-alives come before the first token and are none',
    script: [
      [100, head],
      [120, ': OPENROUTER PROCESSING\n\n'],
      [200, 'data:\n\n'],
      [300, 'event: ping\ndata: {"type":"ping"}\n\n'],
      [350, chat({ choices: [], prompt_filter_results: [] })],
      [400, chat({ choices: [{ index: 0, delta: { content: null }, finish_reason: null }] })],
      ...words,
      [2505, ': keep-alive\n\n'],
      [2510, end(ending(21))],
    ],
    figures: { ...plain, byte: 0.12 },
    check: ({ m }) => {
      assert.equal(m.marks.firstEvent, 200)
      assert.equal(m.output.comments, 2)
    },
  },
  {
    name: 'white space is output: it is a token',
    script: [[100, head], [150, role], [400, say('\n')], ...words, [2510, end(ending(22))]],
    figures: {
      ...plain,
      ttft: 0.4,
      answer: 0.4,
      tpot: 21 / 210,
      cps: 840 / 21,
      eps: 210 / 21,
      tps: 210 / 21,
      blended: 220 / 25,
    },
  },
  {
    name: 'characters are Unicode code points',
    script: [[100, head], [150, role], ...drip(500, 100, 21, () => say('é\u{1f30a}模x')), [2510, end(ending(21))]],
    figures: plain,
  },
  {
    name: 'tool calls alone: the first tool-call event is the first token, and arguments are counted',
    script: [
      [100, head],
      [150, role],
      [500, call({ name: 'weather' })],
      ...drip(600, 100, 20, () => call({ arguments: '"ab"' })),
      [2510, end(finish('tool_calls') + usage(21) + done)],
    ],
    // C1 is the name.
    figures: plain,
    check: ({ m }) => {
      assert.equal(m.output.toolChars, 87)
      assert.equal(m.output.contentChars, 0)
      assert.equal(m.finishReason, 'tool_calls')
    },
  },
  {
    name: 'reasoning alone, cut by max_tokens: no first answer, rates over the reasoning window',
    script: [
      [100, head],
      [150, role],
      ...drip(500, 100, 21, () => think('abcd')),
      [2510, end(finish('length') + usage(21, { completion_tokens_details: { reasoning_tokens: 21 } }) + done)],
    ],
    figures: { ...plain, answer: undefined },
    missing: { no_output: ['answer'] },
    check: ({ m }) => assert.equal(m.marks.firstReasoning, 500),
  },
  {
    name: 'streamed reasoning, then the answer: all tokens over the whole window',
    script: [
      [100, head],
      [150, role],
      ...drip(500, 100, 11, () => think('abcd')),
      ...drip(1600, 100, 10, () => say('abcd')),
      [2510, end(finish() + usage(21, { completion_tokens_details: { reasoning_tokens: 11 } }) + done)],
    ],
    figures: { ...plain, answer: 1.6 },
  },
  {
    name: 'hidden reasoning: its tokens are taken off, the first visible token counts',
    script: [
      [100, head],
      [150, role],
      ...words,
      [2510, end(finish() + usage(51, { completion_tokens_details: { reasoning_tokens: 30 } }) + done)],
    ],
    figures: plain,
    check: ({ m, line }) => {
      assert.equal(m.tokens?.output, 51)
      assert.equal((line['tokens'] as { reasoning: number }).reasoning, 30)
    },
  },
  {
    name: 'hidden reasoning that completion_tokens leaves out (the gap of the total) is taken off again',
    script: [
      [100, head],
      [150, role],
      ...words,
      [
        2510,
        end(
          finish() +
            chat({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 21, total_tokens: 541 } }) +
            done,
        ),
      ],
    ],
    figures: plain,
    check: ({ m }) => {
      assert.equal(m.tokens?.reasoning, 500)
      assert.equal(m.tokens?.output, 521)
    },
  },
  {
    name: 'a gateway that streams whole tool calls and text in one event each still has a window',
    script: [
      [100, head],
      [500, say('Looking it up.')],
      [1500, call({ name: 'weather', arguments: '{"city":"Bern"}' })],
      [2500, call({ name: 'weather', arguments: '{"city":"Genf"}' })],
      [2510, end(finish('tool_calls') + usage(40) + done)],
    ],
    // E = 3, N/E > 1.5: N1 = round(40 * 14 / 58) = 10.
    figures: {
      ttft: 0.5,
      answer: 0.5,
      headers: 0.1,
      byte: 0.5,
      tpot: 2 / 30,
      tps: 15,
      cps: 22,
      eps: 1,
      blended: 16,
      stall: 1,
      duration: 2.51,
    },
    check: ({ m }) => assert.equal(m.gaps.stalls, 0),
  },
  {
    name: 'several events in one chunk bear one mark',
    script: [
      [100, head],
      [500, [say('a'), say('b')]],
      ...drip(600, 100, 20, () => say('a') + say('b')),
      [2610, end(ending(42))],
    ],
    figures: {
      ttft: 0.5,
      answer: 0.5,
      headers: 0.1,
      byte: 0.5,
      tpot: 2 / 40,
      tps: 20,
      cps: 20,
      eps: 20,
      blended: 420 / 25,
      stall: 0.1,
      burst: 0.5,
      duration: 2.61,
    },
    check: ({ m }) => {
      assert.equal(m.output.all.chunks, 21)
      assert.equal(m.output.all.firstChunkEvents, 2)
    },
  },
  {
    name: 'usage on several chunks: the last value of each field wins, and null erases nothing',
    script: [
      [100, head],
      [150, chat({ choices: [{ index: 0, delta: { role: 'assistant' } }], usage: { prompt_tokens: 7 } })],
      ...drip(500, 100, 20, (index) => say('abcd', { usage: index === 3 ? { completion_tokens: 4 } : null })),
      [2500, say('abcd', usageOf(21, { prompt_tokens: null }))],
      [2510, end(finish('stop', { usage: null }) + done)],
    ],
    figures: plain,
    check: ({ m }) => assert.equal(m.tokens?.input, 7),
  },
  ...[
    ['on the finish event', finish('stop', usageOf(21)) + done],
    ['in the choice', chat({ choices: [{ index: 0, delta: {}, finish_reason: 'stop', ...usageOf(21) }] }) + done],
    ['under x_groq', finish('stop', { x_groq: usageOf(21) }) + done],
    ['before the finish event', usage(21) + finish() + done],
    ['in an event that lacks its blank line', `${finish()}${usage(21).trimEnd()}`],
  ].map(([where, last]) => ({
    name: `usage is taken wherever it stands: ${where}`,
    script: [[100, head], [150, role], ...words, [2510, end(last as string)]] as const,
    figures: plain,
  })),
])
