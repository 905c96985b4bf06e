import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { BenchRun } from '../../src/bench/bench-run.ts'
import { compareRuns } from '../../src/bench/comparison.ts'
import { advise } from '../../src/bench/decision.ts'
import type { ExchangeResult } from '../../src/bench/exchange-result.ts'
import { fallsBehind } from '../../src/bench/load-levels.ts'
import { type Random, seededRandom } from '../../src/bench/random.ts'
import { summarise } from '../../src/bench/summary.ts'
import { runCommand } from '../helpers/bench-command.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

interface Made {
  readonly target?: string
  readonly model?: string
  readonly n: number
  /** Medians. */
  readonly ttft: number
  readonly tpot?: number
  readonly failed?: number
  readonly cost?: number
  readonly sigma?: number
}

const spread = (random: Random, sigma: number): number =>
  Math.exp(sigma * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()))

function exchanges(
  { target = 't', model = 'm', n, ttft, tpot = 0.01, failed = 0, cost, sigma = 0.1 }: Made,
  random: Random,
): ExchangeResult[] {
  return Array.from({ length: n }, (_, round) => {
    const fails = round < failed
    const [first, pace] = [ttft * spread(random, sigma), tpot * spread(random, sigma)]
    const figures = {
      time_to_first_token_seconds: first,
      time_per_output_token_seconds: pace,
      output_tokens_per_second: 1 / pace,
      output_chars_per_second: 4 / pace,
      blended_tokens_per_second: 100 / (first + 100 * pace),
      request_duration_seconds: first + 100 * pace,
    }
    return {
      target,
      model,
      operation: 'chat',
      prompt: 'function',
      mode: 'uncached',
      load: { kind: 'closed', concurrency: 1 },
      round,
      at: round * 1000,
      left: null,
      outcome: fails ? 'http_5xx' : 'ok',
      error: null,
      figures: fails ? {} : figures,
      unmeasured: fails ? { time_to_first_token_seconds: 'error' } : {},
      tokens: fails ? null : { input: 10, output: 100, reasoning: 0, cachedInput: 0, cacheWriteInput: 0 },
      costUsd: cost ?? null,
      tokensPerEvent: 1,
      meanGapSeconds: pace,
      marks: { ended: 1000 * (first + 100 * pace) },
    } as unknown as ExchangeResult
  })
}

function runOf(results: readonly ExchangeResult[]): BenchRun {
  return {
    format: 1,
    program: 'streamgauge bench',
    version: 'test',
    definitions: '1',
    startedAt: '',
    endedAt: '',
    interrupted: false,
    environment: { node: 'v', platform: 'p', cpu: 'c', cores: 1 },
    plan: { maxTokens: 256, temperature: 0 } as BenchRun['plan'],
    preflight: [],
    selfCheck: {} as BenchRun['selfCheck'],
    givenUp: [],
    exchanges: results,
  }
}

function made(seed: string, ...all: Made[]): BenchRun {
  const random = seededRandom(seed)
  return runOf(all.flatMap((one) => exchanges(one, random)))
}

const write = (t: TestContext, ...runs: BenchRun[]): string[] => {
  const folder = temporaryFolder(t)
  return runs.map((run, index) => {
    const file = join(folder, `${index}.json`)
    writeFileSync(file, JSON.stringify(run))
    return file
  })
}

const before = made('before', { n: 20, ttft: 0.2 })

test('compare: exit 1 where something is worse, and which', async (t) => {
  const { code, io } = await runCommand(['compare', ...write(t, before, made('after', { n: 20, ttft: 0.3 }))])
  assert.equal(code, 1)
  assert.match(io.stdout, /TTFT +20, 20 .* worse$/m)
  assert.match(io.stdout, /^Verdict\n {2}worse$/m)
})

test('compare: exit 0 where nothing is, a rate that rose included', async (t) => {
  const { code, io } = await runCommand([
    'compare',
    ...write(t, before, made('after', { n: 60, ttft: 0.19, tpot: 0.008, sigma: 0.05 })),
  ])
  assert.equal(code, 0, io.stdout)
  assert.match(io.stdout, /^Verdict\n {2}no worse$/m)
})

test('compare: exit 3 where too little is known, and how much more is needed', async (t) => {
  const noisy = { n: 8, ttft: 0.2, tpot: 0.01, sigma: 0.5 }
  const { code, io } = await runCommand(['compare', ...write(t, made('one', noisy), made('two', noisy))])
  assert.equal(code, 3)
  assert.match(io.stdout, /inconclusive: about \d+ more runs needed/)
})

test('compare: exit 2 for what is no run, an unknown figure, a tolerance that is none', async (t) => {
  const [file] = write(t, before) as [string]
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'other.json'), '{"a":1}')
  const { code, io } = await runCommand([
    'compare',
    file,
    join(folder, 'other.json'),
    '--figure',
    'time_to_first_tokn_seconds',
    '--tolerance',
    'a bit',
  ])
  assert.equal(code, 2)
  assert.match(io.stderr, /other\.json is no run of a bench/)
  assert.match(io.stderr, /did you mean time_to_first_token_seconds/)
  assert.match(io.stderr, /--tolerance must be a share/)
  assert.equal((await runCommand(['compare', file, join(folder, 'none.json')])).code, 2)
})

test('a tolerance makes the same change no worse', () => {
  const after = made('after', { n: 60, ttft: 0.24, sigma: 0.05 })
  const verdict = (tolerance: number) =>
    compareRuns(made('b', { n: 60, ttft: 0.2, sigma: 0.05 }), after, {
      tolerance,
      figures: ['time_to_first_token_seconds'],
    }).verdict
  assert.deepEqual([verdict(0.1), verdict(0.5)], ['worse', 'no worse'])
})

test('runs of one target each are compared whatever it is called; strays, failures and other settings are told', () => {
  const after = made(
    'after',
    { target: 'other', n: 20, ttft: 0.2, failed: 5 },
    { target: 'other', model: 'new', n: 3, ttft: 1 },
  )
  const changed = { ...after, definitions: '2', plan: { ...after.plan, maxTokens: 9 } }
  const { figures, notes } = compareRuns(before, changed, { tolerance: 0.1 })
  assert.equal(figures.length, 5)
  const said = notes.join('\n')
  assert.match(said, /definitions differ \(1 and 2\)/)
  assert.match(said, /maxTokens differs \(256 and 9\)/)
  assert.match(said, /0 of 20 failed before, 5 of 20 after/)
  assert.match(said, /only the second run has new at other/)
})

test('a figure that only one run has is not decided', () => {
  const none = runOf(before.exchanges.map((exchange) => ({ ...exchange, figures: {} })))
  const { verdict, figures } = compareRuns(before, none, { tolerance: 0.1 })
  assert.equal(verdict, 'inconclusive')
  assert.ok(figures.every(({ after }) => after === undefined))
})

test('advice for people who wait: limits, reasons, and what is not decided', () => {
  const run = made(
    'advice',
    { model: 'slow', n: 60, ttft: 2 },
    { model: 'few', n: 10, ttft: 0.2 },
    { model: 'good', n: 60, ttft: 0.2 },
    { model: 'twin', n: 60, ttft: 0.2 },
    { model: 'failing', n: 60, ttft: 0.1, failed: 10 },
  )
  const [advice] = advise(summarise(run.exchanges), 'interactive', seededRandom('x'))
  const standing = new Map(advice?.ranked.map(({ name, standing }) => [name.split(' ')[0], standing]))
  assert.deepEqual(
    ['good', 'twin', 'few', 'slow', 'failing'].map((name) => standing.get(name)),
    ['meets', 'meets', 'not decided', 'misses', 'misses'],
  )
  assert.deepEqual(
    advice?.ranked
      .slice(0, 2)
      .map(({ name }) => name.split(' ')[0])
      .toSorted(),
    ['good', 'twin'],
  )
  assert.match(advice?.undecided.join('\n') ?? '', /(good|twin) at t or (good|twin) at t: the data do not decide/)
  assert.match(
    advice?.ranked.find(({ name }) => name.startsWith('few'))?.reasons.join() ?? '',
    /p95 needs 59 kept runs, there are 10/,
  )
})

test('advice for batches: the cheapest first, where a price is known', () => {
  const run = made(
    'batch',
    { model: 'fast', n: 20, ttft: 0.1, tpot: 0.005, cost: 0.004 },
    { model: 'cheap', n: 20, ttft: 0.4, tpot: 0.02, cost: 0.001 },
  )
  const [advice] = advise(summarise(run.exchanges), 'batch', seededRandom('x'))
  assert.deepEqual(
    advice?.ranked.map(({ name }) => name),
    ['cheap at t', 'fast at t'],
  )
  assert.match(advice?.ranked[0]?.reasons.join() ?? '', /\$10 a million generated tokens/)
  assert.deepEqual(advice?.undecided, [])
})

test('over-saturation is a queue that grows, not a slow gateway', () => {
  const slow = exchanges({ n: 30, ttft: 3 }, seededRandom('slow'))
  assert.equal(fallsBehind(slow), false)
  const growing = slow.map((result, index) => ({ ...result, figures: { request_duration_seconds: 1 + index / 10 } }))
  assert.equal(fallsBehind(growing), true)
  assert.equal(fallsBehind(growing.slice(0, 9)), false)
  // A load that fills up to its level is none that grows for ever.
  const filling = slow.map((result, index) => ({
    ...result,
    figures: { request_duration_seconds: Math.min(2, 1 + index / 10) },
  }))
  assert.equal(fallsBehind(filling), false)
})

test('tails are bounded only where there are runs enough', () => {
  const tails = (n: number, name: string) => {
    const [cell] = summarise(exchanges({ n, ttft: 0.2 }, seededRandom('tails')))
    const found = cell?.figures.get(name)
    return [found?.p95 !== undefined, found?.p99 !== undefined, found?.sorted.indexOf(found.p95?.value ?? -1)]
  }
  assert.deepEqual(tails(58, 'time_to_first_token_seconds'), [false, false, -1])
  assert.deepEqual(tails(59, 'time_to_first_token_seconds'), [true, false, 58])
  // Of a rate the bad tail is the low one.
  assert.deepEqual(tails(59, 'output_tokens_per_second'), [true, false, 0])
  assert.deepEqual(tails(299, 'time_to_first_token_seconds').slice(0, 2), [true, true])
})
