import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ending, role, say } from '../helpers/chat-events.ts'
import { compress } from '../helpers/decoding.ts'
import { valueIn } from '../helpers/exposition.ts'
import {
  assertFigures,
  drip,
  end,
  type Figures,
  head,
  type Missing,
  play,
  type Step,
  setStage,
} from '../helpers/scripted-exchange.ts'
import { type SlowClient, slowClient } from '../helpers/slow-client.ts'

const first = { headers: 0.1, byte: 0.15, ttft: 0.5, answer: 0.5 }
const rates = { tpot: 0.1, tps: 10, cps: 10, eps: 10 }
const others = { blended: 8.4, burst: 0, duration: 2.51 }

/** 21 tokens 100 ms apart from 0.5 s on; with `first`, `events` and `last` between which the client is slow. */
function withPause(slow: SlowClient, after: number, ms: number): Step[] {
  return [
    [100, head],
    [150, role],
    ...drip(500, 100, 21, () => say('x')).flatMap(([at, event]): Step[] =>
      at === after
        ? [
            [at, slow.stops],
            [at, event],
            [at + ms, slow.reads],
          ]
        : [[at, event]],
    ),
    [2510, end(ending(21))],
  ]
}

interface Case {
  readonly name: string
  readonly script: (slow: SlowClient) => readonly Step[]
  readonly figures: Figures
  readonly missing?: Missing
  readonly pausedMs: number
  readonly pausedInWindowMs: number
  /** Inter-chunk samples. */
  readonly gaps: number
  readonly stalls?: number
}

const cases: Case[] = [
  {
    name: 'a pause of 4 ms is nothing, its gap is a sample',
    script: (slow) => withPause(slow, 1000, 4),
    figures: { ...first, ...rates, ...others, stall: 0.1 },
    pausedMs: 4,
    pausedInWindowMs: 4,
    gaps: 20,
  },
  {
    name: 'a gap that holds a pause of 5 ms is no sample',
    script: (slow) => withPause(slow, 1000, 5),
    figures: { ...first, ...rates, ...others, stall: 0.1 },
    pausedMs: 5,
    pausedInWindowMs: 5,
    gaps: 19,
  },
  {
    name: '1 % of the window is tolerated',
    script: (slow) => withPause(slow, 500, 20),
    figures: { ...first, ...rates, ...others, stall: 0.1 },
    pausedMs: 20,
    pausedInWindowMs: 20,
    gaps: 19,
  },
  {
    name: 'over 1 % of the window: no rates, the rest stands',
    script: (slow) => withPause(slow, 500, 21),
    figures: { ...first, ...others, stall: 0.1 },
    missing: { backpressure: ['tpot', 'tps', 'cps', 'eps'] },
    pausedMs: 21,
    pausedInWindowMs: 21,
    gaps: 19,
  },
  {
    name: 'pauses add up',
    script: (slow) => [
      [100, head],
      [150, role],
      ...drip(500, 100, 21, () => say('x')).flatMap(([at, event]): Step[] => [
        [at, slow.stops],
        [at, event],
        [at + 3, slow.reads],
      ]),
      [2510, end(ending(21))],
    ],
    figures: { ...first, ...others, stall: 0.1 },
    missing: { backpressure: ['tpot', 'tps', 'cps', 'eps'] },
    pausedMs: 63,
    pausedInWindowMs: 60,
    gaps: 20,
  },
  {
    name: 'a pause before the first token is not in the window',
    script: (slow) => [
      [100, head],
      [110, slow.stops],
      [110, role],
      [400, slow.reads],
      ...drip(500, 100, 21, () => say('x')),
      [2510, end(ending(21))],
    ],
    figures: { ...first, ...rates, ...others, byte: 0.11, stall: 0.1 },
    pausedMs: 290,
    pausedInWindowMs: 0,
    gaps: 20,
  },
  {
    name: 'a pause after the last token is not in the window',
    script: (slow) => withPause(slow, 2500, 9),
    figures: { ...first, ...rates, ...others, stall: 0.1 },
    pausedMs: 9,
    pausedInWindowMs: 0,
    gaps: 20,
  },
  {
    name: 'over 50 ms in a window of 20 s: no rates; the long gap is no stall',
    script: (slow) => [
      [100, head],
      [150, role],
      ...drip(500, 1000, 20, () => say('x')),
      [19_600, slow.stops],
      [19_600, say('x')],
      [19_651, slow.reads],
      [21_000, say('x')],
      [21_010, end(ending(22))],
    ],
    figures: { ...first, stall: 1, burst: 0, blended: 22 / 21, duration: 21.01 },
    missing: { backpressure: ['tpot', 'tps', 'cps', 'eps'] },
    pausedMs: 51,
    pausedInWindowMs: 51,
    gaps: 20,
    stalls: 0,
  },
  {
    name: '50 ms in a window of 20 s are tolerated',
    script: (slow) => [
      [100, head],
      [150, role],
      ...drip(500, 1000, 20, () => say('x')),
      [19_600, slow.stops],
      [19_600, say('x')],
      [19_650, slow.reads],
      [20_500, say('x')],
      [20_510, end(ending(22))],
    ],
    figures: {
      ...first,
      tpot: 20 / 21,
      tps: 21 / 20,
      cps: 21 / 20,
      eps: 21 / 20,
      stall: 1,
      burst: 0,
      blended: 220 / 205,
      duration: 20.51,
    },
    pausedMs: 50,
    pausedInWindowMs: 50,
    gaps: 20,
    stalls: 0,
  },
  {
    name: 'two chunks with a pause between: the one gap is none',
    script: (slow) => [
      [100, head],
      [150, role],
      [500, slow.stops],
      [500, say('x')],
      [900, slow.reads],
      [1000, say('x')],
      [1010, end(ending(2))],
    ],
    figures: { ...first, blended: 2, duration: 1.01 },
    missing: { backpressure: ['tpot', 'tps', 'cps', 'eps', 'gaps', 'stall'] },
    pausedMs: 400,
    pausedInWindowMs: 400,
    gaps: 0,
  },
]

for (const { name, script, figures, missing = {}, pausedMs, pausedInWindowMs, gaps, stalls = 0 } of cases) {
  for (const coding of ['', 'gzip']) {
    test(coding === '' ? name : `${name}; compressed`, { timeout: 10_000 }, async (t) => {
      const slow = slowClient(t)
      const stage = await setStage(t)
      const plain = script(slow)
      const told = await play(stage, coding === '' ? plain : await compressed(plain, coding))
      assertFigures(told, figures, missing)
      assert.equal(told.m.outcome, 'ok')
      assert.equal(told.m.pausedMs, pausedMs)
      assert.equal(told.m.pausedInWindowMs, pausedInWindowMs)
      assert.equal(told.m.gaps.count, gaps)
      assert.equal(told.m.gaps.stalls, stalls)
      const text = await stage.proxy.metrics()
      assert.equal(valueIn(text, 'streamgauge_backpressure_seconds_total'), pausedMs / 1000)
      assert.equal(valueIn(text, 'streamgauge_inter_chunk_seconds_count') ?? 0, gaps)
    })
  }
}

/** The same script with its bytes compressed, flushed after each. */
async function compressed(script: readonly Step[], coding: string): Promise<Step[]> {
  const isText = ([, deed]: Step): boolean => typeof deed === 'string' || (typeof deed === 'object' && 'end' in deed)
  const texts = script
    .filter(isText)
    .map(([, deed]) => (typeof deed === 'string' ? deed : (deed as { end: string }).end))
  const chunks = await compress(coding, texts)
  // What ends the coding goes with the last text.
  chunks.push(Buffer.concat(chunks.splice(-2)))
  return script.map((step): Step => {
    const [ms, deed] = step
    if (isText(step)) {
      const bytes = chunks.shift() as Buffer
      return [ms, typeof deed === 'string' ? bytes : { end: bytes }]
    }
    return typeof deed === 'object' && 'head' in deed
      ? [ms, { head: 200, headers: { 'content-type': 'text/event-stream', 'content-encoding': coding } }]
      : step
  })
}
