import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import * as z from 'zod'
import { loadBenchPlan } from '../../src/config/bench-plan.ts'
import { type BenchPlan, benchSchema } from '../../src/config/bench-schema.ts'
import type { JsonSchema } from '../../src/config/json-schema.ts'
import { planFrom } from '../helpers/bench.ts'
import { readSource, repository } from '../helpers/repository.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const url = 'http://127.0.0.1:8585/v1'
const schema = z.toJSONSchema(benchSchema, { io: 'input', target: 'draft-07' }) as JsonSchema
const example = parse(readSource('config/bench.yaml'))

test('the example has no problem and says the defaults', () => {
  const env = { OPENROUTER_API_KEY: 'sk-test' }
  const loaded = loadBenchPlan({ text: { plan: `${repository}config/bench.yaml` }, texts: {} }, env)
  assert.ok('plan' in loaded, JSON.stringify(loaded))
  const { targets, ...rest } = loaded.plan
  const { targets: _, ...defaults } = benchSchema.parse({ targets: [{ baseUrl: url, models: ['m'] }] })
  assert.deepEqual(rest, defaults)
  assert.deepEqual(
    targets.map(({ name, apiKey }) => [name, apiKey]),
    [
      ['openrouter', 'sk-test'],
      ['proxy', 'sk-test'],
    ],
  )
})

test('the example shows every key, and every key has a description', () => {
  const missing = (inner: JsonSchema, written: unknown, path: string): string[] =>
    inner.items?.properties && Array.isArray(written)
      ? missing(inner.items, written[0], path)
      : Object.entries(inner.properties ?? {}).flatMap(([key, value]) => {
          const faults =
            value.description === undefined && !value.properties ? [`${path}.${key} has no description`] : []
          if (key === 'decide') return faults
          if (!Object.hasOwn(written as object, key)) return [...faults, `${path}.${key} is not shown`]
          return [...faults, ...missing(value, (written as Record<string, unknown>)[key], `${path}.${key}`)]
        })
  assert.deepEqual(missing(schema, example, ''), [])
})

test('options make targets, each with all models', () => {
  const plan = planFrom(
    { 'base-url': [url, 'proxy=http://127.0.0.1:8484/v1'], model: ['a', 'b'], header: ['X-Title: bench: one'] },
    { concurrency: '1,2, 4', rate: '0.5', temperature: 'none', 'api-key-env': 'KEY' },
    { KEY: 'sk-1' },
  ) as BenchPlan
  assert.deepEqual(
    plan.targets.map(({ name, models, headers, apiKey }) => [name, models, headers, apiKey]),
    [
      ['127.0.0.1:8585', ['a', 'b'], { 'x-title': 'bench: one' }, 'sk-1'],
      ['proxy', ['a', 'b'], { 'x-title': 'bench: one' }, 'sk-1'],
    ],
  )
  assert.deepEqual([plan.concurrency, plan.rate.perSecond, plan.temperature], [[1, 2, 4], [0.5], 'none'])
})

test('options win over the plan, and are named where they are wrong', (t) => {
  const file = join(temporaryFolder(t), 'plan.yaml')
  writeFileSync(file, `targets: [{ baseUrl: ${url}, models: [a] }]\nruns: 5\nmaxTokns: 3\nprompts: [mine.txt, 1k]\n`)
  assert.deepEqual(planFrom({}, { plan: file, runs: 'many' }), [
    '--runs: got "many"; expected a whole number from 2 to 100000',
    'maxTokns: is no known key; did you mean "maxTokens"?',
  ])
  writeFileSync(file, `targets: [{ baseUrl: ${url}, models: [a] }]\nruns: 5\nprompts: [mine.txt, 1k]\n`)
  const plan = planFrom({ model: ['b'] }, { plan: file, 'max-tokens': '9' }) as BenchPlan
  assert.deepEqual([plan.runs, plan.maxTokens, plan.targets[0]?.models], [5, 9, ['b']])
  // A file beside the plan.
  assert.deepEqual(plan.prompts, [file.replace('plan.yaml', 'mine.txt'), '1k'])
})

test('what is missing is told by the option that says it', () => {
  assert.match(String(planFrom({})), /^--base-url: is missing; expected at least one target/)
  assert.match(String(planFrom({ 'base-url': [url] })), /^--model: is missing; expected a list of model names/)
  assert.match(
    String(planFrom({ 'base-url': [url], model: ['m'] }, { 'api-key-env': 'NO_KEY' })),
    /^--api-key-env: .*NO_KEY, which is not set/,
  )
  assert.match(String(planFrom({ 'base-url': ['ftp://x'], model: ['m'] })), /^--base-url: has the scheme/)
  assert.match(
    String(planFrom({ 'base-url': [url, url], model: ['m'] })),
    /^--base-url: has the name and the model of an earlier target/,
  )
})

test('a key on the command line or in the file is refused', () => {
  const problems = String(
    planFrom({ 'base-url': [url], model: ['m'], header: ['Authorization: Bearer sk-secret-value'] }),
  )
  assert.match(problems, /^--header: .*expected it from the environment/)
  assert.ok(!problems.includes('sk-secret-value'))
})
