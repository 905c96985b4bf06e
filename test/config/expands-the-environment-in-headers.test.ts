import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configOf, problemsOf } from '../helpers/configuration.ts'

const yaml = (value: string, name = 'x-team') =>
  `gateways: [{ name: a, url: https://x.test, headers: { ${JSON.stringify(name)}: ${JSON.stringify(value)} } }]\n`

const expanded: readonly (readonly [string, string])[] = [
  ['${A}', 'one'],
  ['${A}-${B}', 'one-two words'],
  ['before ${A} after', 'before one after'],
  ['$A', '$A'],
  ['$${A}', '${A}'],
  ['$$${A}', '$${A}'],
  ['100%', '100%'],
  ['é', 'é'],
]

for (const [written, value] of expanded) {
  test(`${written} becomes ${value}`, (t) => {
    const config = configOf(t, yaml(written), { env: { A: 'one', B: 'two words' } })
    assert.deepEqual(config.gateways[0]?.headers, { 'x-team': value })
  })
}

const refused: readonly (readonly [string, RegExp])[] = [
  ['${MISSING}', /needs the environment variable MISSING, which is not set; expected a value/],
  ['${EMPTY}', /needs the environment variable EMPTY, which is empty/],
  ['${', /has a \$\{ that is no \$\{NAME\}/],
  ['${}', /has a \$\{ that is no \$\{NAME\}/],
  ['${A B}', /has a \$\{ that is no \$\{NAME\}/],
  ['${LINES}', /has a control character/],
  ['${CHINESE}', /has characters beyond Latin-1/],
  ['', /is empty; expected a value/],
  [' a', /begins or ends with a space/],
]

for (const [written, complaint] of refused) {
  test(`${JSON.stringify(written)} is refused`, (t) => {
    const env = { A: 'one', EMPTY: '', LINES: 'a\r\nx-evil: 1', CHINESE: '模型' }
    const found = problemsOf(t, yaml(written), { env })
    assert.equal(found.length, 1)
    assert.match(found[0] ?? '', complaint)
  })
}

test('the environment is not expanded elsewhere', (t) => {
  const config = configOf(t, 'gateways: [{ name: a, url: "https://x.test/${A}" }]', { env: { A: 'one' } })
  assert.equal(config.gateways[0]?.url, 'https://x.test/${A}')
})

test('prototype names are no variables', (t) => {
  assert.equal(problemsOf(t, yaml('${constructor}')).length, 1)
})

for (const name of [
  'Connection',
  'keep-alive',
  'TE',
  'Trailer',
  'Transfer-Encoding',
  'Upgrade',
  'Host',
  'Content-Length',
  'Expect',
]) {
  test(`the header ${name} cannot be set`, (t) => {
    assert.match(problemsOf(t, yaml('a', name)).join(), /belongs to the connection and cannot be set/)
  })
}

test('a header name must be one', (t) => {
  for (const name of ['', 'a b', 'a:', 'é', 'a\nb'])
    assert.match(problemsOf(t, yaml('a', name)).join(), /is no header name/)
})

test('two names that differ in case are one header', (t) => {
  const found = problemsOf(t, 'gateways: [{ name: a, url: https://x.test, headers: { X-A: "1", x-a: "2" } }]')
  assert.equal(found.length, 1)
  assert.match(found[0] ?? '', /headers\["x-a"\]: is given twice/)
})

test('a number as value is told to be a text', (t) => {
  const found = problemsOf(t, 'gateways: [{ name: a, url: https://x.test, headers: { x-a: 1 } }]')
  assert.match(found.join(), /headers\["x-a"\]: got a number; expected a text/)
})
