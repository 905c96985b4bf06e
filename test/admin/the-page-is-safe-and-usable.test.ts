import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startTestAdmin } from '../helpers/admin.ts'
import { testBrowser, textOf, until } from '../helpers/browser.ts'
import { measurement, passedThrough, runningExchange, withoutOutput } from '../helpers/measurement.ts'
import { createTestReport, type TestReport } from '../helpers/report.ts'

const browser = testBrowser()
const limits = { timeout: 60_000 }

/** One of each: went well, failed, left, passed through, runs, waits. */
function tellOfEach(report: TestReport, name = 'a/b'): void {
  const identity = { app: name, model: name }
  report.tell(measurement({ identity, outcome: 'truncated', tokens: undefined }))
  report.tell(measurement({ identity, outcome: 'client_abort', ...withoutOutput }))
  report.tell(passedThrough())
  for (let index = 0; index < 3; index++) report.tell(measurement({ identity, tokens: undefined }))
  for (let index = 0; index < 10; index++) report.tell(measurement({ identity, costUsd: 0.01, cache: 'hit' }))
  report.recorder.started(runningExchange(measurement({ identity }), { ended: undefined }))
  report.recorder.started(runningExchange(measurement({ identity, ...withoutOutput }), { ended: undefined }))
}

test('names from outside are text, whatever they hold', limits, async (t) => {
  const report = createTestReport(t)
  const hostile = `<img src=x onerror="document.title='broken'">'"&amp;`
  tellOfEach(report, hostile)
  report.tell(
    measurement({
      identity: { app: hostile, model: hostile, gateway: hostile, id: 'hostile' },
      error: hostile,
      outcome: 'stream_error',
      servedModel: hostile,
      provider: hostile,
      finishReason: hostile,
    }),
  )
  report.tell(passedThrough({ identity: { path: '/<script>alert(1)</script>', method: '<b>' } }))
  const admin = await startTestAdmin(t, report, {
    page: { version: hostile, proxyUrl: 'http://127.0.0.1:8484', gateways: ['main', hostile] },
  })
  const page = await browser.open(t, admin.url)
  if (page === undefined) return
  await page.locator('#exchange-rows .open').first().waitFor()
  for (const place of ['#streams', '#exchange-rows', '#model-rows', '#advice', '#connect-form', '#version']) {
    await until(async () => (await textOf(page.locator(place))).includes(hostile))
  }
  await page.locator('tr[data-id="hostile"] .open').click()
  await page.locator('dialog[open] .figures').waitFor()
  assert.ok((await textOf(page.locator('#detail-title'))).includes(hostile))
  const made = await page.locator('html').evaluate((root) => ({
    images: [...root.querySelectorAll('img')].map((image) => image.getAttribute('src')),
    bold: root.querySelectorAll('td b, th b, body script').length,
    handlers: [...root.querySelectorAll('*')].filter((element) =>
      [...element.attributes].some(({ name }) => name.startsWith('on')),
    ).length,
  }))
  assert.deepEqual(made, { images: ['icon.svg'], bold: 0, handlers: 0 })
  assert.equal(await page.title(), 'Streamgauge')
})

test('comes back after the proxy was started again, and shows what the new one knows', limits, async (t) => {
  const old = createTestReport(t)
  old.tell(measurement({ identity: { model: 'old/model' } }))
  const first = await startTestAdmin(t, old)
  const page = await browser.open(t, first.url)
  if (page === undefined) return
  await page.locator('#exchange-rows', { hasText: 'old/model' }).waitFor()
  await first.close()
  await page.locator('#state.lost').waitFor()
  const fresh = createTestReport(t)
  fresh.tell(measurement({ identity: { model: 'new/model' } }))
  await startTestAdmin(t, fresh, { port: Number(new URL(first.url).port) })
  await page.locator('#state.live').waitFor()
  await page.locator('#exchange-rows', { hasText: 'new/model' }).waitFor()
  assert.ok(!(await textOf(page.locator('#exchange-rows'))).includes('old/model'))
  // It is not a picture of the moment: it goes on.
  fresh.tell(measurement({ identity: { model: 'next/model' } }))
  await page.locator('#exchange-rows', { hasText: 'next/model' }).waitFor()
})

test('asks for the token where one is set, and works with it', limits, async (t) => {
  const report = createTestReport(t)
  tellOfEach(report)
  const admin = await startTestAdmin(t, report, { token: 'secret' })
  const refused = await browser.open(t, 'about:blank', { expected: /401/ })
  if (refused === undefined) return
  // Headless, there is nobody to ask.
  await assert.rejects(refused.goto(admin.url), /ERR_INVALID_AUTH_CREDENTIALS/)
  const page = await browser.open(t, admin.url, { httpCredentials: { username: 'me', password: 'secret' } })
  await page?.locator('#exchange-rows .open').first().click()
  await page?.locator('dialog[open] .figures').waitFor()
})

test('works behind a path prefix', limits, async (t) => {
  const report = createTestReport(t)
  tellOfEach(report)
  const admin = await startTestAdmin(t, report)
  const prefix = '/tools/gauge'
  const front = createServer((asked, answer) => {
    if (!asked.url?.startsWith(`${prefix}/`)) return answer.writeHead(404).end()
    const passed = request(`${admin.url}${asked.url.slice(prefix.length)}`, (from) => {
      answer.writeHead(from.statusCode ?? 502, from.headers)
      from.pipe(answer)
    })
    // The page's own server may be gone first.
    passed.on('error', () => answer.destroy())
    asked.pipe(passed)
    return answer.on('close', () => passed.destroy())
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    front.closeAllConnections()
    front.close()
  })
  const page = await browser.open(t, `http://127.0.0.1:${(front.address() as AddressInfo).port}${prefix}/`)
  if (page === undefined) return
  await page.locator('#state.live').waitFor()
  await page.locator('#exchange-rows .open').first().click()
  await page.locator('dialog[open] .figures').waitFor()
})

test('can be used with the keyboard alone, and an address leads to an exchange', limits, async (t) => {
  const report = createTestReport(t)
  tellOfEach(report)
  report.tell(measurement({ identity: { id: 'the-one', model: 'the/one' } }))
  const admin = await startTestAdmin(t, report)
  const page = await browser.open(t, admin.url)
  if (page === undefined) return
  await page.locator('#exchange-scroll').focus()
  await page.keyboard.press('Tab')
  const focused = page.locator(':focus')
  for (let step = 0; step < 20 && (await focused.getAttribute('class')) !== 'open'; step++)
    await page.keyboard.press('Tab')
  assert.equal(await textOf(focused), 'the/one')
  await page.keyboard.press('Enter')
  await page.locator('dialog[open] .figures').waitFor()
  assert.match(page.url(), /#exchange=the-one$/)
  const address = page.url()
  await page.keyboard.press('Escape')
  await page.locator('dialog[open]').waitFor({ state: 'detached' })
  assert.doesNotMatch(page.url(), /exchange=/)
  assert.equal(await textOf(focused), 'the/one', 'the focus is back where it was')
  const other = await browser.open(t, address)
  await other?.locator('dialog[open] #detail-title', { hasText: 'the/one' }).waitFor()
})

test('while paused nothing moves, and nothing is lost', limits, async (t) => {
  const report = createTestReport(t)
  tellOfEach(report)
  const admin = await startTestAdmin(t, report)
  const page = await browser.open(t, admin.url)
  if (page === undefined) return
  await page.locator('#exchange-rows .open').first().waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  report.tell(measurement({ identity: { model: 'while/paused' } }))
  // The next snapshots have come when the service has had a second.
  await new Promise((resolve) => setTimeout(resolve, 1000))
  assert.ok(!(await textOf(page.locator('#exchange-rows'))).includes('while/paused'))
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.locator('#exchange-rows', { hasText: 'while/paused' }).waitFor()
})

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
  }[]
}

async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const { violations } = await page.evaluate<AxeResults>('axe.run()')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [400, 1800]) {
    test(`no serious fault of accessibility: ${colorScheme}, ${width} px`, limits, async (t: TestContext) => {
      const report = createTestReport(t)
      tellOfEach(report)
      for (let index = 0; index < 20; index++) {
        report.recorder.started(runningExchange(measurement(), { ended: undefined }))
      }
      const admin = await startTestAdmin(t, report)
      const page = await browser.open(t, admin.url, { colorScheme, viewport: { width, height: 900 } })
      if (page === undefined) return
      await page.locator('#exchange-rows .open').first().waitFor()
      // More than there is room for.
      await page.locator('#streams li').nth(21).waitFor()
      assert.deepEqual(await faultsOf(page), [])
      const wide = await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth)
      assert.equal(wide, 0, 'nothing sticks out of the page')
      await page.locator('#exchange-rows .open').first().click()
      await page.locator('dialog[open] .figures').waitFor()
      assert.deepEqual(await faultsOf(page), [])
    })
  }
}
