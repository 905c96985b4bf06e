import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { reasonTexts } from '../../src/measurement/reasons.ts'
import { arithmetic } from '../helpers/arithmetic.ts'
import { testBrowser, textOf, until } from '../helpers/browser.ts'
import { type ProxyUnderTest, startProxy } from '../helpers/proxy-under-test.ts'
import { simulatedGateway, userSays } from '../helpers/simulated-gateway.ts'

const browser = testBrowser()
const limits = { timeout: 60_000 }

async function stage(t: TestContext) {
  const simulator = await simulatedGateway(t, { seed: 7 })
  const proxy = await startProxy(t, simulator.url)
  const page = await browser.open(t, proxy.service.adminUrl)
  return page === undefined ? undefined : { proxy, page }
}

async function send({ url }: ProxyUnderTest, app: string, body: object): Promise<void> {
  const answer = await fetch(`${url}/@${app}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: userSays('How high is the river?'), stream: true, ...body }),
  })
  await answer.text()
}

const usage = { stream_options: { include_usage: true } }

interface LogLine {
  readonly id: string
  readonly figures: Readonly<Record<string, number>>
  readonly unmeasured: Readonly<Record<string, string>>
  readonly tokens: { readonly output: number } | null
}

async function valueIn(page: Page, id: string, column: string): Promise<number | null> {
  const [value] = await page
    .locator(`tr[data-id="${id}"] .is-${column} data`)
    .evaluateAll((cells) => cells.map((cell) => Number(cell.getAttribute('value'))))
  return value ?? null
}

test('a stream appears, is told to wait, grows, and stands among the last exchanges', limits, async (t) => {
  const { page, proxy } = (await stage(t)) ?? {}
  if (page === undefined || proxy === undefined) return
  const row = page.locator('#streams li', { hasText: 'sim/fast' })
  await page.locator('#now-empty').waitFor()
  const sent = send(proxy, 'editor', {
    model: 'sim/fast',
    sim: { headersMs: 50, ttftMs: 1000, tokens: 300, tokensPerSecond: 80 },
    ...usage,
  })
  await row.getByText('waiting for a token').waitFor()
  assert.match(await textOf(row), /editor · default/)
  await row.getByText('answer', { exact: true }).waitFor()
  const seen = async () => ({
    chars: Number(/([\d,]+) chars/.exec(await textOf(row))?.[1]?.replace(',', '') ?? 0),
    ticks: ((await row.locator('path.ticks').getAttribute('d')) ?? '').split('M').length,
    width: Number(/H([\d.]+)/.exec((await row.locator('path.answer').getAttribute('d')) ?? '')?.[1] ?? 0),
  })
  // Ticks are thinned while they become more, so their number tells no growth. The whole stream is shorter than its scale of 5 s.
  let before = await seen()
  for (let step = 0; step < 2; step++) {
    await until(async () => {
      const now = await seen()
      return now.chars > before.chars && now.width > before.width && now.ticks > 5
    })
    before = await seen()
  }
  assert.match(await textOf(row), /char\/s/)
  await sent
  await page.locator('#exchange-rows tr', { hasText: 'sim/fast' }).waitFor()
  await until(async () => (await row.getAttribute('class')) === 'over')
  assert.match(await textOf(row), /ok[\s\S]*tok\/s/)
})

test('rows and details show the numbers of the exchange log, and formulas that give them', limits, async (t) => {
  const { page, proxy } = (await stage(t)) ?? {}
  if (page === undefined || proxy === undefined) return
  const quick = { ttftMs: 60, tokens: 60, tokensPerSecond: 300 }
  await Promise.all([
    send(proxy, 'a', { model: 'sim/fast', sim: quick, ...usage }),
    send(proxy, 'b', { model: 'sim/reasoning', sim: { ...quick, reasoningTokens: 30 }, ...usage }),
    send(proxy, 'c', { model: 'sim/fast', sim: { ...quick, reasoningTokens: 20, reasoning: 'summarised' }, ...usage }),
    send(proxy, 'd', { model: 'sim/fast', sim: { ...quick, fail: 'reset', failAt: 20 }, ...usage }).catch(() => {}),
    send(proxy, 'e', { model: 'sim/fast', sim: quick }),
    send(proxy, 'f', { model: 'sim/fast', sim: quick, stream: false }),
  ])
  await proxy.measurement(5)
  await page.locator('#exchange-rows tr:not(.spacer)').nth(5).waitFor()
  const lines = proxy.log.filter(({ msg }) => msg === 'exchange') as unknown as LogLine[]
  assert.equal(lines.length, 6)
  for (const { id, figures, tokens } of lines) {
    for (const name of [
      'time_to_first_token_seconds',
      'time_to_first_answer_seconds',
      'output_tokens_per_second',
      'output_chars_per_second',
      'time_per_output_token_seconds',
      'request_duration_seconds',
    ]) {
      assert.equal(await valueIn(page, id, name), figures[name] ?? null, name)
    }
    assert.equal(await valueIn(page, id, 'tokens'), tokens?.output ?? null)
  }
  for (const line of lines) await checkDetails(page, line)
})

async function checkDetails(page: Page, { id, figures, unmeasured }: LogLine): Promise<void> {
  await page.locator(`tr[data-id="${id}"] .open`).click()
  await page.locator('dialog[open] .figures').waitFor()
  const shown = await page.locator('dialog tr[data-figure]').evaluateAll((rows) =>
    rows.map((row) => ({
      name: row.getAttribute('data-figure') ?? '',
      value: Number(row.querySelector('data')?.getAttribute('value')),
      text: row.querySelector('data')?.textContent ?? '',
      numbers: row.querySelector('.numbers')?.textContent?.replace('= ', ''),
    })),
  )
  assert.deepEqual(Object.fromEntries(shown.map(({ name, value }) => [name, value])), figures)
  let worked = 0
  for (const { name, value, text, numbers } of shown) {
    assert.ok(Math.abs(Number(text) - value) <= 0.0005, `${name}: ${text} stands for ${value}`)
    if (numbers === undefined) continue
    worked++
    const result = arithmetic(numbers)
    assert.ok(Math.abs(result - value) <= 2e-6 + value * 1e-4, `${name}: ${numbers} is not ${value}`)
  }
  assert.ok(worked >= 4)
  const reasons = await page
    .locator('dialog [data-reason]')
    .evaluateAll((items) =>
      items.map((item) => ({ code: item.getAttribute('data-reason') ?? '', text: item.textContent ?? '' })),
    )
  assert.deepEqual(new Set(reasons.map(({ code }) => code)), new Set(Object.values(unmeasured)))
  for (const { code, text } of reasons) {
    const words = reasonTexts[code as keyof typeof reasonTexts]
    assert.ok(text.includes(words.why) && text.includes(words.remedy), code)
  }
  await page.keyboard.press('Escape')
  await page.locator('dialog[open]').waitFor({ state: 'detached' })
}

test('what hangs is seen to hang, and who leaves is seen to leave', limits, async (t) => {
  const { page, proxy } = (await stage(t)) ?? {}
  if (page === undefined || proxy === undefined) return
  const leave = new AbortController()
  t.after(() => leave.abort())
  const asked = fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sim/hang',
      messages: userSays('Still there?'),
      stream: true,
      sim: { headersMs: 10, fail: 'hang', failAt: 0 },
    }),
    signal: leave.signal,
  }).catch(() => {})
  const tile = page.locator('.tile', { hasText: 'Waiting' })
  await tile.getByText('longest').waitFor()
  assert.match(await textOf(tile), /1longest \d/)
  leave.abort()
  await asked
  await page.locator('#exchange-rows .badge', { hasText: 'client abort' }).waitFor()
  await until(async () => /^Waiting0/.test(await textOf(tile)))
})
