import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configOf, problemsOf } from '../helpers/configuration.ts'

const quoted = (text: string) => JSON.stringify(text)

for (const url of [
  'https://api.openai.com/v1',
  'https://generativelanguage.googleapis.com/v1beta/openai',
  'https://api.perplexity.ai',
  'http://127.0.0.1:11434/v1/',
  'http://[::1]:8000/v1',
  'https://name.openai.azure.com/openai/deployments/d?api-version=2024-10-21',
  'HTTPS://gateway.test/v1',
]) {
  test(`the URL ${url} is taken as it is`, (t) => {
    assert.equal(configOf(t, `gateways: [{ name: main, url: ${quoted(url)} }]`).gateways[0]?.url, url)
  })
}

const badUrls: readonly (readonly [string, RegExp])[] = [
  ['gateway.test/v1', /is not a URL; expected one with its scheme/],
  ['', /is not a URL/],
  ['localhost:8080', /has the scheme "localhost:"/],
  ['ftp://gateway.test', /has the scheme "ftp:"; expected http: or https:/],
  ['https://user:CANARY@gateway.test/v1', /holds a user name or password/],
  ['https://CANARY@gateway.test/v1', /holds a user name or password/],
  ['https://gateway.test/v1#part', /has a fragment/],
  ['https://gateway.test/v1#', /has a fragment/],
  ['https://gateway.test/v1?key=CANARY', /query parameter "key", which looks like a secret/],
  ['https://gateway.test/v1?a=1&API-Key=CANARY', /query parameter "API-Key", which looks like a secret/],
  [' https://gateway.test/v1', /has spaces or control characters/],
  ['https://gateway.test/v1\n', /has spaces or control characters/],
  ['https://gate way.test/v1', /has spaces or control characters/],
  ['https://:443/v1', /is not a URL/],
  ['https://gateway.test:99999/v1', /is not a URL/],
]

for (const [url, complaint] of badUrls) {
  test(`the URL ${quoted(url)} is refused, and not repeated`, (t) => {
    const found = problemsOf(t, `gateways: [{ name: main, url: ${quoted(url)} }]`)
    assert.equal(found.length, 1)
    assert.match(found[0] ?? '', complaint)
    assert.doesNotMatch(found[0] ?? '', /CANARY/)
  })
}

for (const name of ['main', 'a', 'openai-eu', 'OpenRouter', 'x.y_z-1', '9', 'v1beta', 'a'.repeat(64)]) {
  test(`a gateway may be named ${name}`, (t) => {
    assert.equal(
      configOf(t, `gateways: [{ name: ${quoted(name)}, url: https://gateway.test }]`).gateways[0]?.name,
      name,
    )
  })
}

for (const name of [
  'v1',
  'api',
  'openai',
  'V1',
  'OpenAI',
  '@a',
  '',
  ' a',
  'a/b',
  'a b',
  '..',
  '.',
  '-a',
  'a%2f',
  'ä',
  'a'.repeat(65),
]) {
  test(`a gateway may not be named ${quoted(name)}`, (t) => {
    const found = problemsOf(t, `gateways: [{ name: ${quoted(name)}, url: https://gateway.test }]`)
    assert.equal(found.length, 1)
    assert.match(found[0] ?? '', /^gateways\[0\]\.name: /)
  })
}

test('two gateways cannot have one name', (t) => {
  const found = problemsOf(t, 'gateways: [{ name: a, url: https://x.test }, { name: a, url: https://y.test }]')
  assert.equal(found.length, 1)
  assert.match(found[0] ?? '', /^gateways\[1\]\.name: "a" is the name of an earlier gateway too/)
})

test('a price below 0, a text and an unknown kind of price are refused', (t) => {
  const found = problemsOf(
    t,
    'gateways: [{ name: a, url: https://x.test, models: { m: { input: -1, output: "1", reasoning: 1 } } }]',
  )
  assert.deepEqual(
    found.map((problem) => problem.split(':')[0]),
    ['gateways[0].models.m.input', 'gateways[0].models.m.output', 'gateways[0].models.m.reasoning'],
  )
})

test('prices that are no finite numbers are refused', (t) => {
  for (const price of ['.inf', '.nan', '-0.01']) {
    const models = `{ m: { input: ${price}, output: 1 } }`
    assert.equal(problemsOf(t, `gateways: [{ name: a, url: https://x.test, models: ${models} }]`).length, 1)
  }
})
