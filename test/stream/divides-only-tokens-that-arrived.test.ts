import assert from 'node:assert/strict'
import { delta, done, ending, finish, role, say, think, usage, usageOf } from '../helpers/chat-events.ts'
import { testCases } from '../helpers/figure-cases.ts'
import { drip, end, head, type Short } from '../helpers/scripted-exchange.ts'

const start = [[100, head] as const, [150, role] as const]
const first = { headers: 0.1, byte: 0.15, ttft: 0.5, answer: 0.5 }
const summary: readonly Short[] = ['tps', 'cps', 'eps']
const withReasoning = (output: number, reasoning: number): string =>
  finish() + usage(output, { completion_tokens_details: { reasoning_tokens: reasoning } }) + done

testCases([
  {
    name: 'N1 by events where there are at most 1.5 tokens an event',
    // 30 tokens in 20 events: N1 = round(30 * 2 / 20) = 3, though the first chunk has half of the characters.
    script: [
      ...start,
      [500, say('x'.repeat(9)).repeat(2)],
      ...drip(600, 100, 18, () => say('x')),
      [2310, end(ending(30))],
    ],
    figures: {
      ...first,
      tpot: 18 / 270,
      tps: 15,
      cps: 10,
      eps: 10,
      blended: 300 / 23,
      stall: 0.1,
      burst: 1 / 20,
      duration: 2.31,
    },
  },
  {
    name: 'N1 by characters where there are more tokens than that in an event',
    // 31 tokens in 20 events: N1 = round(31 * 18 / 36) = 16 (15.5 rounds up).
    script: [
      ...start,
      [500, say('x'.repeat(9)).repeat(2)],
      ...drip(600, 100, 18, () => say('x')),
      [2310, end(ending(31))],
    ],
    figures: {
      ...first,
      tpot: 0.12,
      cps: 10,
      eps: 10,
      blended: 310 / 23,
      stall: 0.1,
      burst: 1 / 20,
      duration: 2.31,
    },
    missing: { too_few_tokens: ['tps'] },
  },
  {
    name: 'N1 by events where output has no characters (audio)',
    // 80 tokens in 20 events: N1 = round(80 * 1 / 20) = 4.
    script: [
      ...start,
      ...drip(500, 100, 20, () => delta({ audio: { id: 'a', data: 'AAAA' } })),
      [2410, end(ending(80))],
    ],
    figures: { ...first, tpot: 0.025, tps: 40, eps: 10, blended: 800 / 24, stall: 0.1, burst: 0, duration: 2.41 },
    missing: { no_output: ['cps'] },
  },
  {
    name: 'N1 is at least one token',
    // 40 tokens in 2 events: round(40 * 1 / 1000) = 0.
    script: [...start, [500, say('x')], ...drip(600, 100, 9, () => say('x'.repeat(111))), [1410, end(ending(40))]],
    figures: {
      ...first,
      tpot: 9 / 390,
      tps: 390 / 9,
      cps: 1110,
      eps: 10,
      blended: 400 / 14,
      stall: 0.1,
      duration: 1.41,
    },
  },
  {
    name: 'N1 from cumulative usage where every chunk carries it',
    script: [
      ...start,
      [500, say('x', usageOf(3)) + say('x', usageOf(9))],
      ...drip(600, 100, 20, (index) => say('x', usageOf(11 + 2 * index))),
      [2510, end(finish('stop', usageOf(49)) + done)],
    ],
    figures: {
      ...first,
      tpot: 0.05,
      tps: 20,
      cps: 10,
      eps: 10,
      blended: 490 / 25,
      stall: 0.1,
      burst: 1 / 22,
      duration: 2.51,
    },
  },
  {
    name: 'cumulative usage that one chunk lacks is not relied on for N1',
    // N1 = round(49 * 2 / 22) = 4 by characters and events alike.
    script: [
      ...start,
      [500, say('x', usageOf(3)) + say('x', usageOf(9))],
      ...drip(600, 100, 20, (index) => say('x', index === 7 ? {} : usageOf(11 + 2 * index))),
      [2510, end(finish('stop', usageOf(49)) + done)],
    ],
    figures: {
      ...first,
      tpot: 2 / 45,
      tps: 22.5,
      cps: 10,
      eps: 10,
      blended: 490 / 25,
      stall: 0.1,
      burst: 1 / 22,
      duration: 2.51,
    },
  },
  {
    name: 'cumulative usage with hidden reasoning: N1 is without it',
    script: [
      ...start,
      ...drip(500, 100, 21, (index) =>
        say('x', usageOf(101 + index, { completion_tokens_details: { reasoning_tokens: 100 } })),
      ),
      [2510, end(finish() + done)],
    ],
    figures: { ...first, tpot: 0.1, tps: 10, cps: 10, eps: 10, blended: 8.4, stall: 0.1, burst: 0, duration: 2.51 },
  },
  {
    name: "a summary of reasoning: the answer alone, over the answer's own window",
    // 60 reasoning tokens in 20 characters; 81 - 60 = 21 tokens of answer from 1.0 s on.
    script: [
      ...start,
      [500, think('x'.repeat(10))],
      [900, think('x'.repeat(10))],
      ...drip(1000, 100, 21, () => say('abcd')),
      [3010, end(withReasoning(81, 60))],
    ],
    figures: {
      ...first,
      answer: 1,
      tpot: 0.1,
      tps: 10,
      cps: 40,
      eps: 10,
      blended: 7,
      stall: 0.4,
      burst: 0,
      duration: 3.01,
    },
  },
  {
    name: 'a summary, and the answer in one chunk: a window of nothing',
    script: [
      ...start,
      [500, think('x'.repeat(10))],
      [900, think('x'.repeat(10))],
      [1000, say('yes')],
      [3010, end(withReasoning(63, 60))],
    ],
    figures: { ...first, answer: 1, blended: 3, stall: 0.4, duration: 3.01 },
    // N - N1 = 3 - 3.
    missing: { too_few_tokens: ['tpot', 'tps'], window_too_short: ['cps', 'eps'] },
  },
  {
    name: 'a summary, and many tokens of answer in two chunks under 50 ms apart',
    script: [
      ...start,
      [500, think('x'.repeat(10))],
      [900, think('x'.repeat(10))],
      [1000, say('y')],
      [1040, say('y'.repeat(40))],
      [3010, end(withReasoning(101, 60))],
    ],
    figures: { ...first, answer: 1, tpot: 4 / 4000, blended: 4100 / 104, stall: 0.4, duration: 3.01 },
    missing: { window_too_short: summary },
  },
  {
    name: 'as many characters of reasoning as tokens: it was streamed, no summary',
    script: [
      ...start,
      [500, think('x'.repeat(10))],
      ...drip(600, 100, 10, () => think('x')),
      ...drip(1600, 100, 10, () => say('x')),
      [2510, end(withReasoning(40, 20))],
    ],
    // N1 = round(40 * 10 / 30) = 13 by characters (N / E = 1.9).
    figures: {
      ...first,
      answer: 1.6,
      tpot: 2 / 27,
      tps: 13.5,
      cps: 10,
      eps: 10,
      blended: 16,
      stall: 0.1,
      burst: 0,
      duration: 2.51,
    },
    check: ({ m }) => assert.equal(m.output.reasoningChars, 20),
  },
  {
    name: 'one character of reasoning less than tokens: it was a summary',
    script: [
      ...start,
      [500, think('x'.repeat(9))],
      ...drip(600, 100, 10, () => think('x')),
      ...drip(1600, 100, 20, () => say('x')),
      [3510, end(withReasoning(40, 20))],
    ],
    // 20 tokens of answer, N1 = 1, from 1.6 s to 3.5 s.
    figures: {
      ...first,
      answer: 1.6,
      tpot: 0.1,
      tps: 10,
      cps: 10,
      eps: 10,
      blended: 200 / 35,
      stall: 0.1,
      burst: 0,
      duration: 3.51,
    },
  },
])
