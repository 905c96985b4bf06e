import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { builtInPrompt } from '../../src/bench/built-in-prompts.ts'
import { promptFor } from '../../src/bench/prompt.ts'
import { loadPrompts } from '../../src/bench/prompt-set.ts'
import { seededRandom } from '../../src/bench/random.ts'
import { requestBody, requestHeaders, unadapted } from '../../src/bench/request-body.ts'
import { schedule } from '../../src/bench/schedule.ts'
import type { Cell, Subject } from '../../src/bench/subject.ts'
import { planOf } from '../helpers/bench.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const baseUrl = 'http://127.0.0.1:1/v1'
const function_ = builtInPrompt('function')
const cellOf = (model: string, mode: Cell['mode'] = 'uncached', prompt = function_): Cell => ({
  subject: { model } as Subject,
  prompt,
  mode,
})
const modelOf = (cell: Cell): string => cell.subject.model
const planWith = (more: object) => planOf({ targets: [{ baseUrl, models: ['a'] }], ...more })

test('every round holds each model once, and their order changes', () => {
  const steps = schedule(
    planWith({ runs: 11 }),
    ['a', 'b', 'c'].map((model) => cellOf(model)),
    seededRandom('x'),
  )
  assert.equal(steps.length, 33)
  const rounds = Array.from({ length: 11 }, (_, round) => steps.slice(3 * round, 3 * round + 3))
  for (const [index, round] of rounds.entries()) {
    assert.deepEqual(round.map(({ cell }) => modelOf(cell)).toSorted(), ['a', 'b', 'c'])
    assert.ok(round.every((step) => step.kind === 'single' && step.round === index && step.cold === (index === 0)))
  }
  assert.ok(new Set(rounds.map((round) => round.map(({ cell }) => modelOf(cell)).join(''))).size > 2)
})

test('under load each model is visited early and late', () => {
  const cells = ['a', 'b', 'c'].map((model) => cellOf(model))
  const steps = schedule(
    planWith({ runs: 11, concurrency: [4], rate: { perSecond: [2], requests: 10 } }),
    cells,
    seededRandom('x'),
  )
  for (const kind of ['closed', 'open']) {
    const order = steps.filter((step) => step.kind === kind).map(({ cell }) => modelOf(cell))
    assert.equal(order.length, 6)
    assert.deepEqual(order.slice(3), order.slice(0, 3).toReversed())
  }
  const closed = steps.flatMap((step) => (step.kind === 'closed' ? [step.kept] : []))
  assert.deepEqual(closed, [5, 5, 5, 5, 5, 5])
})

test('constant arrivals are evenly apart, Poisson arrivals are so on average', () => {
  const instants = (arrivals: string, requests: number): readonly number[] => {
    const [step] = schedule(
      planWith({ concurrency: [2], rate: { perSecond: [4], arrivals, requests } }),
      [cellOf('a')],
      seededRandom('p'),
    ).filter(({ kind }) => kind === 'open')
    return step?.kind === 'open' ? step.instants : []
  }
  assert.deepEqual(instants('constant', 6), [250, 500, 750])
  const last = instants('poisson', 4000).at(-1) as number
  assert.ok(last > 0.93 * 500_000 && last < 1.07 * 500_000, String(last))
})

test('of a set of prompts, the first time of each is the cold one where it repeats', () => {
  const set = { name: 'set', texts: ['one', 'two', 'three'].map((task) => ({ context: '', task })) }
  const steps = schedule(planWith({ runs: 5 }), [cellOf('a', 'cached', set)], seededRandom('x'))
  assert.deepEqual(
    steps.map((step) => step.kind === 'single' && step.cold),
    [true, true, true, false, false, false, false],
  )
  assert.match(promptFor(set, 4, 'n').task, /two$/)
})

test('a nonce stands at the very start', () => {
  assert.ok(promptFor(function_, 0, 'abc').task.startsWith('// abc\n'))
  const long = promptFor(builtInPrompt('1k'), 0, 'abc')
  assert.ok(long.context.startsWith('// abc\n'))
  assert.ok(!long.task.includes('abc'))
})

test('built-in contexts are of the size that their name says', () => {
  for (const [name, tokens] of [
    ['1k', 1024],
    ['8k', 8192],
    ['32k', 32_768],
  ] as const) {
    const [text] = builtInPrompt(name).texts
    const about = (text?.context.length ?? 0) / 4
    assert.ok(about > tokens && about < 1.2 * tokens, `${name}: ${about}`)
    assert.equal(text?.context, builtInPrompt(name).texts[0]?.context)
  }
})

test('prompts come from files and sets, and every fault of them is told without a word of theirs', (t) => {
  const folder = temporaryFolder(t)
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const text = write('mine.txt', 'Say hello.')
  const set = write('set.jsonl', '{"prompt":"a"}\n\n{"prompt":"b","context":"c"}\n')
  const loaded = loadPrompts(['8k', text, set])
  assert.ok('prompts' in loaded)
  assert.deepEqual(
    loaded.prompts.map(({ name, texts }) => [name, texts.length]),
    [
      ['8k', 1],
      ['mine.txt', 1],
      ['set.jsonl', 2],
    ],
  )
  const wrong = loadPrompts([
    write('bad.jsonl', '{"prompt":"secret"}\nsecret\n'),
    write('empty.txt', ' \n'),
    join(folder, 'none'),
  ])
  assert.ok('problems' in wrong)
  assert.equal(wrong.problems.length, 3)
  assert.match(wrong.problems[0] as string, /line 2/)
  assert.ok(!wrong.problems.join().includes('secret'))
})

const [target] = planOf({
  targets: [{ baseUrl, models: ['m'], cacheHint: 'cache_control', body: { top_p: 1 }, apiKey: 'sk' }],
}).targets
const text = { context: 'CONTEXT', task: 'TASK' }

for (const operation of ['chat', 'completions', 'responses', 'messages'] as const) {
  test(`a request of ${operation} is streamed and holds what was asked`, () => {
    assert.ok(target)
    const question = {
      target: { ...target, operation },
      model: 'm',
      text,
      mode: 'cached' as const,
      cacheKey: 'k',
      adaptation: unadapted,
    }
    const body = requestBody(question, { maxTokens: 9, temperature: 0 })
    const written = JSON.stringify(body)
    assert.deepEqual([body['model'], body['stream'], body['temperature'], body['top_p']], ['m', true, 0, 1])
    assert.ok(written.includes('CONTEXT') && written.includes('TASK'))
    assert.equal(/"max(_output)?_tokens":9/.test(written), true)
    assert.equal(written.includes('cache_control'), operation === 'chat' || operation === 'messages')
    const uncached = JSON.stringify(
      requestBody({ ...question, mode: 'uncached' }, { maxTokens: 9, temperature: 'none' }),
    )
    assert.ok(!uncached.includes('cache_control') && !uncached.includes('temperature'))
    const headers = requestHeaders({ ...target, operation })
    assert.equal(
      headers[headers.indexOf(operation === 'messages' ? 'x-api-key' : 'authorization') + 1],
      operation === 'messages' ? 'sk' : 'Bearer sk',
    )
    assert.ok(!headers.includes('accept-encoding'))
  })
}
