import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { ask, startTestAdmin } from '../helpers/admin.ts'
import { measurement, passedThrough } from '../helpers/measurement.ts'
import { createTestReport } from '../helpers/report.ts'

test('the page has the addresses and the figures of the last exchanges', async (t) => {
  const report = createTestReport(t)
  const { url } = await startTestAdmin(t, report)
  assert.match((await ask(url)).body, /None yet/)
  report.tell(measurement({ identity: { app: 'checkout' } }))
  report.tell(passedThrough())
  const { body, headers } = await ask(url)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(headers['cache-control'], 'no-store')
  assert.match(body, /<code>http:\/\/127\.0\.0\.1:8484\/v1<\/code>/)
  assert.match(body, /<code>http:\/\/127\.0\.0\.1:8484\/spare\/v1<\/code>/)
  assert.match(
    body,
    /<td>checkout<\/td>\n<td>a\/b<\/td>\n<td>ok<\/td>\n<td>200<\/td>\n<td class="number">0\.500<\/td>\n<td class="number">50\.0<\/td>/,
  )
  assert.ok(body.indexOf('GET /v1/models') < body.indexOf('checkout'), 'the newest stands first')
})

test('every name from outside is text', async (t) => {
  const report = createTestReport(t)
  const { url } = await startTestAdmin(t, report)
  const hostile = `<img src=x onerror=alert(1)>"'&amp;`
  report.tell(measurement({ identity: { app: hostile, model: hostile, gateway: hostile } }))
  report.tell(passedThrough({ identity: { path: hostile, method: '<b>' } }))
  const { body } = await ask(url)
  assert.ok(!body.includes('<img'))
  assert.ok(!body.includes('<b>'))
  assert.ok(body.includes('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;amp;'))
})

test('the policy allows no script and the one style by its hash', async (t) => {
  const { url } = await startTestAdmin(t, createTestReport(t))
  const { body, headers } = await ask(url)
  const policy = String(headers['content-security-policy'])
  const style = /<style>([\s\S]*)<\/style>/.exec(body)?.[1] as string
  assert.ok(policy.includes(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`))
  assert.match(policy, /^default-src 'none'/)
  assert.ok(!/script|unsafe/.test(policy))
  assert.ok(!body.includes('<script'))
})
