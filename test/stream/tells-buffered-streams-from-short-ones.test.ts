import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, ending, finish, role, say, think, usage } from '../helpers/chat-events.ts'
import { valueIn } from '../helpers/exposition.ts'
import { testCases } from '../helpers/figure-cases.ts'
import { drip, end, head, play, type Short, setStage } from '../helpers/scripted-exchange.ts'

const rates: readonly Short[] = ['tpot', 'tps', 'cps', 'eps']
const gaps: readonly Short[] = ['gaps', 'stall']
const start = [[100, head] as const, [150, role] as const]
const first = { headers: 0.1, byte: 0.15, ttft: 0.5, answer: 0.5 }
/** After 10 s of silence. */
const late = { headers: 0.1, byte: 0.15, ttft: 10, answer: 10 }

testCases([
  {
    name: '16 events in one chunk: buffered; TTFT and the blended rate stand',
    script: [...start, [500, say('x').repeat(16)], [510, end(ending(16))]],
    figures: { ...first, blended: 32, burst: 15 / 16, duration: 0.51 },
    missing: { buffered: [...rates, ...gaps] },
    flags: ['buffered'],
  },
  {
    name: '15 events of 63 characters in one chunk: one_chunk, and nobody is blamed',
    script: [...start, [500, say('xxxx').repeat(14) + say('xxxxxxx')], [510, end(ending(16))]],
    figures: { ...first, blended: 32, duration: 0.51 },
    missing: { one_chunk: [...rates, ...gaps] },
  },
  {
    name: '64 characters of text in one event: buffered',
    script: [...start, [500, say('x'.repeat(64))], [510, end(ending(16))]],
    figures: { ...first, blended: 32, duration: 0.51 },
    missing: { buffered: [...rates, ...gaps] },
    flags: ['buffered'],
  },
  {
    name: 'the whole answer with its end in one read: buffered',
    script: [
      [100, head],
      [500, end(role + say('xy'.repeat(40)) + ending(20))],
    ],
    figures: { ...first, byte: 0.5, blended: 40, duration: 0.5 },
    missing: { buffered: [...rates, ...gaps] },
    flags: ['buffered'],
  },
  {
    name: 'a whole tool call of 500 characters in one event: one_chunk',
    script: [
      ...start,
      [500, call({ name: 'write', arguments: `"${'x'.repeat(493)}"` })],
      [510, end(finish('tool_calls') + usage(100))],
    ],
    figures: { ...first, blended: 200, duration: 0.51 },
    missing: { one_chunk: [...rates, ...gaps] },
  },
  {
    name: 'two chunks however far apart: buffered, and their gap is told',
    script: [...start, [500, say('x').repeat(8)], [2500, say('x').repeat(8)], [2510, end(ending(16))]],
    figures: { ...first, blended: 6.4, stall: 2, burst: 14 / 16, duration: 2.51 },
    missing: { buffered: rates },
    flags: ['buffered'],
  },
  {
    name: 'two chunks of a short answer are not buffered',
    script: [...start, [500, say('x').repeat(7)], [2500, say('x').repeat(8)], [2510, end(ending(15))]],
    // N1 = 7.
    figures: { ...first, tpot: 0.25, cps: 4, eps: 4, blended: 6, stall: 2, duration: 2.51 },
    missing: { too_few_tokens: ['tps'] },
  },
  {
    name: 'a window of under 5 % of the wait at over 5000 tokens a second: buffered',
    script: [
      ...start,
      [10_000, say('x')],
      [10_040, say('x').repeat(20)],
      [10_100, say('x').repeat(20)],
      // N1 = round(600 * 1 / 41) = 15; 585 tokens in 0.1 s.
      [10_110, end(ending(600))],
    ],
    figures: { ...late, blended: 6000 / 101, stall: 0.06, burst: 38 / 41, duration: 10.11 },
    missing: { buffered: rates },
    flags: ['buffered'],
  },
  {
    name: 'under 5 % of the wait, but no faster than a model can be: not buffered',
    script: [
      ...start,
      [10_000, say('x')],
      [10_040, say('x').repeat(20)],
      [10_100, say('x').repeat(20)],
      // N1 = 1: 500 tokens in 0.1 s are exactly 5000 a second.
      [10_110, end(ending(500))],
    ],
    figures: {
      ...late,
      // N1 = round(500 * 1 / 41) = 12.
      tpot: 1 / 4880,
      tps: 4880,
      cps: 400,
      eps: 400,
      blended: 5000 / 101,
      stall: 0.06,
      burst: 38 / 41,
      duration: 10.11,
    },
  },
  {
    name: 'over 20000 characters a second shows it without usage',
    script: [
      ...start,
      [10_000, say('x')],
      [10_040, say('x'.repeat(1000))],
      [10_100, say('x'.repeat(1001))],
      [10_110, end(finish())],
    ],
    figures: { ...late, stall: 0.06, duration: 10.11 },
    missing: { buffered: rates, no_usage: ['blended'] },
    flags: ['buffered'],
  },
  {
    name: '20000 characters a second are not over it',
    script: [
      ...start,
      [10_000, say('x')],
      [10_040, say('x'.repeat(1000))],
      [10_100, say('x'.repeat(1000))],
      [10_110, end(finish())],
    ],
    figures: { ...late, cps: 20_000, eps: 20, stall: 0.06, duration: 10.11 },
    missing: { no_usage: ['tpot', 'tps', 'blended'] },
  },
  {
    name: 'a fast stream whose window is over 5 % of the wait is not buffered',
    script: [...start, ...drip(500, 10, 11, () => say('x').repeat(100)), [610, end(ending(1100))]],
    figures: {
      ...first,
      tpot: 1 / 10000,
      tps: 10_000,
      cps: 10_000,
      eps: 10_000,
      blended: 11000 / 6,
      stall: 0.01,
      burst: 1089 / 1100,
      duration: 0.61,
    },
  },
  {
    name: 'reasoning in one chunk and the answer in another: buffered',
    script: [...start, [500, think('x'.repeat(80))], [2500, say('x'.repeat(80))], [2510, end(ending(40))]],
    figures: { ...first, answer: 2.5, blended: 16, stall: 2, duration: 2.51 },
    missing: { buffered: rates },
    flags: ['buffered'],
  },
])

test('buffered streams are counted, and those that broke off are not among them', { timeout: 10_000 }, async (t) => {
  const stage = await setStage(t)
  const burst = [...start, [500, say('x').repeat(16)] as const]
  await play(stage, [...burst, [510, end(ending(16))]])
  await play(stage, [...burst, [510, end()]], {}, 10_000)
  await play(stage, [...start, ...drip(500, 100, 17, () => say('x')), [2200, end(ending(17))]], {}, 20_000)
  assert.equal(valueIn(await stage.proxy.metrics(), 'streamgauge_buffered_streams_total'), 1)
})
