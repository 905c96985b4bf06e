import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../src/config/load.ts'
import { oneGateway, problems } from '../helpers/configuration.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const places = (found: ReturnType<typeof problems>) => found.map(({ line, column }) => [line, column])

test('a problem has the line and column of its key', (t) => {
  const found = problems(t, `# comment\n${oneGateway}proxy:\n  host: 127.0.0.1\n  port: many\n`)
  assert.deepEqual(places(found), [[5, 3]])
})

test('a missing key has the place of what it is missing in', (t) => {
  assert.deepEqual(places(problems(t, 'gateways:\n  - name: a\n')), [[2, 5]])
})

test('places are found through an alias', (t) => {
  const yaml = 'gateways:\n  - &a { name: a, url: https://x.test, tls: 3 }\n  - *a\n'
  assert.deepEqual(
    problems(t, yaml).map(({ path, line }) => [path, line]),
    [
      ['gateways[0].tls', 2],
      ['gateways[1].tls', 2],
      ['gateways[1].name', 2],
    ],
  )
})

const broken: readonly (readonly [string, string, number, number])[] = [
  ['a bracket left open', 'gateways: [\n', 2, 1],
  ['a tab as indent', 'proxy:\n\tport: 1\n', 2, 1],
  ['a key given twice', `${oneGateway}log: {}\nlog: {}\n`, 3, 1],
  ['two documents', 'log: {}\n---\nlog: {}\n', 2, 1],
  ['an unknown tag', 'log: !env LEVEL\n', 1, 6],
]

for (const [what, yaml, line, column] of broken) {
  test(`${what} is told with line and column`, (t) => {
    const [found] = problems(t, yaml)
    assert.match(found?.message ?? '', /^is not valid YAML: /)
    assert.deepEqual([found?.line, found?.column], [line, column])
  })
}

test('an alias without anchor is told', (t) => {
  assert.match(problems(t, 'log: *nowhere\n')[0]?.message ?? '', /^is not valid YAML: .*nowhere/)
})

test('all faults of the syntax are told', (t) => {
  assert.equal(problems(t, 'log: {}\nlog: {}\nadmin: {}\nadmin: {}\n').length, 2)
})

test('aliases that multiply are refused, not expanded', (t) => {
  const rows = ['a: &a [1,1,1,1,1,1,1,1,1]']
  for (const [above, name] of [...'abcdefgh'].map((letter, index) => [letter, 'bcdefghi'[index]])) {
    rows.push(`${name}: &${name} [${Array(9).fill(`*${above}`).join(',')}]`)
  }
  const found = problems(t, rows.join('\n'))
  assert.equal(found.length, 1)
  assert.match(found[0]?.message ?? '', /^is not valid YAML: /)
})

test('a file that cannot be read is told by its name', (t) => {
  const folder = temporaryFolder(t)
  for (const [file, complaint] of [
    [`${folder}/nowhere.yaml`, /does not exist; expected the path of a YAML file/],
    [folder, /is a folder/],
  ] as const) {
    const loaded = loadConfig({ file, env: {} })
    assert.ok('problems' in loaded)
    assert.equal(loaded.problems.length, 1)
    assert.equal(loaded.problems[0]?.path, file)
    assert.match(loaded.problems[0]?.message ?? '', complaint)
  }
})

test('a file that is not UTF-8 is refused', (t) => {
  assert.match(problems(t, new Uint8Array([0xff, 0xfe, 0x6c]))[0]?.message ?? '', /^is not UTF-8/)
})

test('a byte order mark is no fault', (t) => {
  assert.deepEqual(problems(t, `\ufeff${oneGateway}`), [])
})
