import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { configJsonSchema, type JsonSchema } from '../../src/config/json-schema.ts'
import { configFrom, loadConfig } from '../../src/config/load.ts'
import { ConfigError, showProblem } from '../../src/config/problems.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

/** Anything at all where the schema has a value; its own keys and strangers. */
function shaped(schema: JsonSchema): fc.Arbitrary<unknown> {
  const anything = fc.oneof(fc.jsonValue(), fc.constantFrom('10s', '64KiB', 0, 'a', true, 'https://x.test/v1', '${A}'))
  if (schema.items !== undefined) return fc.oneof(fc.array(shaped(schema.items), { maxLength: 3 }), anything)
  if (schema.properties === undefined) return anything
  const keys = Object.entries(schema.properties).map(([key, inner]) => [key, shaped(inner)] as const)
  return fc.oneof(
    { weight: 5, arbitrary: fc.record(Object.fromEntries(keys), { requiredKeys: [] }) },
    { weight: 1, arbitrary: anything },
  )
}

test('any value is a configuration or has problems with paths', () => {
  fc.assert(
    fc.property(shaped(configJsonSchema()), (value) => {
      try {
        assert.ok(Object.isFrozen(configFrom(value as object)))
      } catch (error) {
        assert.ok(error instanceof ConfigError, String(error))
        for (const problem of error.problems) assert.match(showProblem(problem), /^.+: .+/s)
      }
    }),
    { numRuns: 500 },
  )
})

test('any text is a configuration or has problems', (t) => {
  const file = join(temporaryFolder(t), 'streamgauge.yaml')
  const piece = fc.oneof(
    fc.string({ maxLength: 5 }),
    fc.constantFrom(
      'gateways:',
      '\n  ',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '&a',
      '*a',
      '!!',
      '? ',
      '<<: *a',
      '"',
      '|\n',
      'proxy: ',
      '---\n',
      '\t',
    ),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      writeFileSync(file, pieces.join(''))
      const loaded = loadConfig({ file, env: {} })
      assert.ok('config' in loaded || loaded.problems.length > 0)
    }),
    { numRuns: 500 },
  )
})

for (const [name, text] of [
  ['a list', 'proxy: &a [*a]\n'],
  ['a mapping', 'proxy: &a { port: *a }\n'],
  ['a level further down', 'gateways: &a\n  - name: x\n    headers: &b { x: [*a] }\n    tls: *b\n'],
  ['the whole file', '&a\nproxy: *a\n'],
] as const) {
  test(`an alias inside its own anchor (${name}) is a problem with its place`, (t) => {
    const file = join(temporaryFolder(t), 'streamgauge.yaml')
    writeFileSync(file, text)
    const loaded = loadConfig({ file, env: {} })
    assert.ok('problems' in loaded)
    const [problem, ...others] = loaded.problems
    assert.equal(problem?.message, 'is not valid YAML: *a stands inside what it stands for')
    assert.ok((problem?.line ?? 0) > 0)
    assert.deepEqual(others, [])
  })
}
