import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startTestAdmin } from '../helpers/admin.ts'
import { testBrowser, textOf, until } from '../helpers/browser.ts'
import { measurement } from '../helpers/measurement.ts'
import { createTestReport, type TestReport } from '../helpers/report.ts'

const browser = testBrowser()
const limits = { timeout: 60_000 }

async function open(t: TestContext, tell: (report: TestReport) => void): Promise<Page | undefined> {
  const report = createTestReport(t)
  tell(report)
  const admin = await startTestAdmin(t, report, {
    page: { version: '1', proxyUrl: 'http://127.0.0.1:18484', gateways: ['main', 'spare'] },
  })
  const page = await browser.open(t, admin.url)
  await page?.locator('#state.live').waitFor()
  return page
}

/** `count` streams of a model, whose TTFT and rate are as told. */
function streams(report: TestReport, model: string, count: number, ttftMs: number, tokens: number): void {
  const first = 1001 + ttftMs
  for (let index = 0; index < count; index++) {
    report.tell(
      measurement({
        identity: { model },
        marks: { firstAnswer: first, firstToken: first, lastToken: first + 2000, ended: first + 2010 },
        tokens: { input: 10, cachedInput: undefined, cacheWriteInput: undefined, output: tokens, reasoning: undefined },
      }),
    )
  }
}

const names = (page: Page): Promise<string[]> => page.locator('#model-rows .name').allTextContents()

test(
  'models side by side: by wait for people, by rate for batches, and only percentiles that n supports',
  limits,
  async (t) => {
    const page = await open(t, (report) => {
      streams(report, 'slow/fast', 59, 2000, 401)
      streams(report, 'quick/slow', 58, 200, 201)
      streams(report, 'rare/one', 4, 100, 301)
    })
    if (page === undefined) return
    await until(async () => (await names(page)).join() === 'quick/slow,slow/fast,rare/one')
    const cells = async (row: number): Promise<string[]> =>
      page.locator('#model-rows tr').nth(row).locator('td').allTextContents()
    const [n, p50, p95] = await cells(1)
    assert.equal(n, '59')
    assert.deepEqual([p50, p95], ['2.000', '2.000'])
    assert.deepEqual((await cells(0)).slice(0, 1).concat((await cells(0))[2] as string), ['58', '–'], 'p95 needs 59')
    assert.deepEqual((await cells(2)).slice(0, 3), ['4few', '–', '–'], 'a median needs 5')
    await page.getByText('batch', { exact: true }).click()
    await until(async () => (await names(page)).join() === 'slow/fast,quick/slow,rare/one')
    await page.getByText('since start', { exact: true }).click()
    await until(async () => (await names(page)).length === 3)
  },
)

test('what cannot be measured is told with its reason, a remedy and an example', limits, async (t) => {
  const page = await open(t, (report) => {
    for (let index = 0; index < 10; index++) {
      report.tell(measurement({ identity: { app: 'checkout' }, tokens: undefined }))
      report.tell(measurement({ identity: { app: 'search' } }))
    }
  })
  if (page === undefined) return
  const line = page.locator('#advice li', { hasText: 'App checkout' })
  await line.waitFor()
  const text = await textOf(line)
  assert.match(text, /10 of 10 exchanges have no token rates: the gateway reported no tokens/)
  assert.match(text, /"stream_options": \{"include_usage": true\}/)
  assert.equal(await page.locator('#advice li', { hasText: 'App search' }).count(), 0)
  await line.getByRole('button', { name: 'Show one' }).click()
  await page.locator('dialog[open] [data-reason="no_usage"]').first().waitFor()
})

test('the lines to paste have the real address, the app and the gateway', limits, async (t) => {
  const page = await open(t, () => {})
  if (page === undefined) return
  const base = page.locator('.base code')
  await until(async () => (await textOf(base)) === 'http://127.0.0.1:18484/@my-app/v1')
  await page.locator('#connect-form input').fill('check out')
  await page.locator('#connect-form select').selectOption('spare')
  await until(async () => (await textOf(base)) === 'http://127.0.0.1:18484/@check%20out/spare/v1')
  const all = await textOf(page.locator('#snippets'))
  assert.ok(all.includes('OpenAI(base_url="http://127.0.0.1:18484/@check%20out/spare/v1")'))
  assert.ok(all.includes("new OpenAI({ baseURL: 'http://127.0.0.1:18484/@check%20out/spare/v1' })"))
  assert.ok(all.includes('curl -N http://127.0.0.1:18484/@check%20out/spare/v1/chat/completions'))
  assert.ok(all.includes('ANTHROPIC_BASE_URL=http://127.0.0.1:18484/@claude-code/spare\n'))
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.locator('.base').getByRole('button').click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'http://127.0.0.1:18484/@check%20out/spare/v1')
})
