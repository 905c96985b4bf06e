import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definitionsVersion } from '../../src/measurement/figures.ts'
import { codeBlocks } from '../helpers/markdown.ts'
import { readSource } from '../helpers/repository.ts'

const outputs = codeBlocks('docs/bench-examples.md').filter(({ language }) => language === 'text')

test('there are five examples, whole, by these definitions', () => {
  assert.equal(readSource('docs/bench-examples.md').match(/^## /gm)?.length, 5)
  assert.equal(outputs.length, 5)
  for (const { code, line } of outputs) {
    assert.match(code, /^(The bench itself|Verdict)$/m, `line ${line}`)
    if (!code.startsWith('Comparison')) assert.match(code, new RegExp(`definitions ${definitionsVersion},`))
  }
})

test('the examples show what the docs promise', () => {
  const all = outputs.map(({ code }) => code).join('\n')
  for (const title of [
    'The cold run',
    'Differences between targets',
    'Tails',
    'Warnings',
    'Comparison',
    'What can be measured here',
  ]) {
    assert.match(all, new RegExp(`^${title}$`, 'm'))
  }
  assert.match(all, /^Streams at once: /m)
  assert.match(all, /^Arrivals: /m)
  assert.match(all, /^ +The knee is at /m)
  assert.match(all, /^For people who wait: /m)
  assert.match(all, / worse$/m)
})

test('the page with pictures loads nothing, and is small enough to keep', () => {
  const page = readSource('docs/bench-example.html')
  assert.doesNotMatch(page, /<script|<link|\b(src|href)="|url\(|@import/)
  assert.ok(page.length < 600_000)
})

test('the worked example has its six models', () => {
  const [, table] =
    /<!-- made by npm run examples -->\n([\s\S]*?)\n<!-- end -->/.exec(readSource('docs/bench.md')) ?? []
  assert.equal(table?.split('\n').length, 8)
})
