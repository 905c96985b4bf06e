import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, startTestAdmin } from '../helpers/admin.ts'
import { measurement } from '../helpers/measurement.ts'
import { createTestReport } from '../helpers/report.ts'

const links = /(?:src|href)="([^"#]+)"/g
const imports = /^import .* from '\.\/([^']+)'/gm

test('every file that the page names is there, by an address relative to the page', async (t) => {
  const { url } = await startTestAdmin(t, createTestReport(t))
  const { body, headers } = await ask(url)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  const seen = new Set<string>()
  const waiting = [...body.matchAll(links)].map(([, path]) => path as string)
  for (const path of waiting) {
    if (seen.has(path)) continue
    seen.add(path)
    assert.match(path, /^[a-z-]+(\.(css|js|svg))?$/, 'no address begins with / or a scheme')
    const answer = await ask(`${url}/${path}`)
    assert.equal(answer.status, 200, path)
    if (!path.endsWith('.js')) continue
    assert.equal(answer.headers['content-type'], 'text/javascript; charset=utf-8')
    assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    waiting.push(...[...answer.body.matchAll(imports)].map(([, name]) => name as string))
  }
  assert.ok(seen.has('main.js') && seen.has('timeline.js') && seen.has('page.css'))
})

test('the policy lets in nothing but these files, and the markup needs no more', async (t) => {
  const { url } = await startTestAdmin(t, createTestReport(t))
  const { body, headers } = await ask(url)
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
  assert.doesNotMatch(policy, /unsafe|\*|http|data:/)
  assert.doesNotMatch(body, /<style|<script(?! type="module" src=)|\son[a-z]+=|\sstyle=|javascript:/)
})

test('one exchange is told in full while it is kept', async (t) => {
  const report = createTestReport(t)
  const { url } = await startTestAdmin(t, report)
  const m = measurement({ tokens: undefined })
  report.tell(m)
  const detail = JSON.parse((await ask(`${url}/exchanges/${m.identity.id}`)).body)
  const [line] = report.lines
  const { msg, ...log } = line as Record<string, unknown>
  assert.equal(msg, 'exchange')
  assert.deepEqual({ msg, ...log }, { level: log['level'], time: log['time'], ...detail.log })
  const rate = detail.figures.find(({ name }: { name: string }) => name === 'output_tokens_per_second')
  assert.deepEqual(rate, {
    name: 'output_tokens_per_second',
    value: null,
    reason: 'no_usage',
    expression: null,
    numbers: null,
  })
  const first = detail.figures.find(({ name }: { name: string }) => name === 'time_to_first_token_seconds')
  assert.equal(first.numbers, '0.501000 - 0.001000')
  const gone = await ask(`${url}/exchanges/${'x'.repeat(90)}`)
  assert.equal(gone.status, 404)
  assert.ok(JSON.parse(gone.body).error.message)
})

test('a token is asked for by everything that the page is made of', async (t) => {
  const { url } = await startTestAdmin(t, createTestReport(t), { token: 'secret' })
  for (const path of ['/', '/main.js', '/page.css', '/live', '/exchanges/x']) {
    assert.equal((await ask(url + path)).status, 401, path)
  }
})
