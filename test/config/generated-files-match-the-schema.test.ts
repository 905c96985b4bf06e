import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { generatedFiles } from '../../src/config/generated-files.ts'
import { configJsonSchema, type JsonSchema } from '../../src/config/json-schema.ts'
import { configFrom, loadConfig } from '../../src/config/load.ts'
import { readSource, repository } from '../helpers/repository.ts'

for (const [path, content] of generatedFiles()) {
  test(`${path} is up to date`, () => {
    assert.equal(readSource(path), content, `${path} is out of date: npm run generate`)
  })
}

const example = parse(readSource('config/streamgauge.yaml'))

test('the example has no problem and says the defaults', () => {
  const loaded = loadConfig({ file: `${repository}config/streamgauge.yaml`, env: {} })
  assert.ok('config' in loaded, JSON.stringify(loaded))
  const [{ name, url }] = example.gateways
  assert.deepEqual(loaded.config, configFrom({ gateways: [{ name, url }] }))
})

test('the example shows every key', () => {
  assert.deepEqual(missingKeys(configJsonSchema(), example, ''), [])
})

test('every key has a description', () => {
  assert.deepEqual(undescribed(configJsonSchema(), ''), [])
})

const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(configJsonSchema() as object)

test('the JSON schema accepts the example', () => {
  assert.equal(validate(example), true, JSON.stringify(validate.errors))
})

for (const wrong of [
  { prxy: {} },
  { proxy: { port: 'many' } },
  { proxy: { drain: 30 } },
  { proxy: { maxBodyBytes: '64 megs' } },
  { gateways: [{ name: 'a' }] },
  { log: { level: 'loud' } },
  { metrics: { buckets: { no_such_metric: [1] } } },
]) {
  test(`the JSON schema refuses ${JSON.stringify(wrong)}`, () => {
    assert.equal(validate(wrong), false)
  })
}

function missingKeys(schema: JsonSchema, written: unknown, path: string): string[] {
  if (schema.items?.properties && Array.isArray(written)) return missingKeys(schema.items, written[0], `${path}[0]`)
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    const here = `${path}.${key}`
    if (!Object.hasOwn(written as object, key)) return [here]
    return missingKeys(inner, (written as Record<string, unknown>)[key], here)
  })
}

function undescribed(schema: JsonSchema, path: string): string[] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([key, value]) => undescribed(value, `${path}.${key}`))
  if (schema.items?.properties) inner.push(...undescribed(schema.items, `${path}[]`))
  if (schema.properties === undefined && schema.items?.properties === undefined && !schema.description) inner.push(path)
  return inner
}
