import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type RequestFacts, scanRequest } from '../../src/proxy/request-scan.ts'

/** The slow, obvious way. */
function reference(text: string): RequestFacts {
  const value = JSON.parse(text) as Record<string, unknown>
  let cacheControl = 0
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if (Array.isArray(node)) {
      for (const inner of node) walk(inner)
      return
    }
    for (const [key, inner] of Object.entries(node)) {
      if (key === 'cache_control' && inner !== null) cacheControl++
      walk(inner)
    }
  }
  walk(value)
  const own = (object: unknown, key: string): unknown =>
    typeof object === 'object' && object !== null && !Array.isArray(object) && Object.hasOwn(object, key)
      ? (object as Record<string, unknown>)[key]
      : undefined
  const model = own(value, 'model')
  const stream = own(value, 'stream')
  const include = own(own(value, 'stream_options'), 'include_usage')
  return {
    model: typeof model === 'string' ? model : undefined,
    stream: typeof stream === 'boolean' ? stream : undefined,
    includeUsage: typeof include === 'boolean' ? include : undefined,
    cacheControl,
    promptCacheKey: own(value, 'prompt_cache_key') !== undefined && own(value, 'prompt_cache_key') !== null,
  }
}

const key = fc.oneof(
  fc.constantFrom(
    'model',
    'stream',
    'stream_options',
    'include_usage',
    'cache_control',
    'prompt_cache_key',
    'messages',
  ),
  fc.string({ maxLength: 6 }),
)
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom('"', '\\', '\\"', '{"model":"no"}', 'é模🙂'),
    fc.boolean(),
    fc.constant(null),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(key, tie('tree'), { maxKeys: 5 }),
  ),
}))

test('any JSON object is read as JSON.parse reads it, however it is laid out', () => {
  fc.assert(
    fc.property(fc.dictionary(key, tree, { maxKeys: 6 }), fc.constantFrom(0, 1, '\t'), (object, space) => {
      const text = JSON.stringify(object, null, space)
      assert.deepEqual(scanRequest(Buffer.from(text)), reference(text))
    }),
    { numRuns: 3000 },
  )
})

test('of a key that stands twice the last one counts', () => {
  assert.equal(scanRequest(Buffer.from('{"model":"a","model":"b"}')).model, 'b')
  assert.equal(scanRequest(Buffer.from('{"model":"a","model":7}')).model, undefined)
})

test('an escaped key and a byte order mark are read', () => {
  assert.equal(scanRequest(Buffer.from('\ufeff{"m\\u006fdel":"a\\/b"}')).model, 'a/b')
})

test('what is no JSON object tells what it can and never throws', () => {
  for (const text of [
    '',
    'null',
    '[]',
    '[{"model":"x"}]',
    '"model"',
    '{',
    '{"model"',
    '{"model":"x',
    '}',
    '{"a":}}',
    '{"model":"x"} {"model":"y"}',
    '\0\0',
  ]) {
    assert.doesNotThrow(() => scanRequest(Buffer.from(text)), text)
  }
  assert.equal(scanRequest(Buffer.from('[{"model":"x"}]')).model, undefined)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void scanRequest(Buffer.from(bytes))),
    { numRuns: 1000 },
  )
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', 'model', 't', 'n', '1'), { maxLength: 60 }),
      (parts) => void scanRequest(Buffer.from(parts.join(''))),
    ),
    { numRuns: 2000 },
  )
})

test('nesting beyond any sense ends the scan, not the process', () => {
  const deep = `{"model":"m","a":${'['.repeat(100_000)}`
  assert.equal(scanRequest(Buffer.from(deep)).model, 'm')
})
