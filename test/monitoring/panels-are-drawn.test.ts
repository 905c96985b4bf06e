import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { testBrowser } from '../helpers/browser.ts'
import { type DashboardModel, dashboards, type PanelModel, panelsOf } from '../helpers/promql.ts'

// npm run pictures takes a quarter of an hour: this is its page alone, with made-up answers.

const { openPanels, width } = (await import(
  new URL('../../../scripts/panel-pictures/draw.mjs', import.meta.url).href
)) as { readonly openPanels: (page: Page) => Promise<void>; readonly width: number }

const browser = testBrowser()
const view = { from: 1_800_000_000, to: 1_800_000_420, width }
const times = Array.from({ length: 29 }, (_, at) => view.from + at * 15)

function answerTo(panel: PanelModel) {
  return (panel.targets ?? []).map(({ instant, legendFormat = '' }, at) => {
    const refId = String.fromCharCode(65 + at)
    const name = legendFormat
    const values = times.map((_, index) => (index % 7 === 0 ? null : index))
    if (panel.type === 'heatmap')
      return {
        refId,
        series: ['0.5', '1', '+Inf'].map((le) => ({ metric: { le }, name, times, values })),
        exemplars: [],
      }
    const metric = { gateway: 'east', model: 'sim/fast' }
    const series = instant === true ? { metric, name, refId, value: 0.5 } : { metric, name, refId, times, values }
    return { refId, series: [series], exemplars: [] }
  })
}

const draw = (page: Page, { title, panels }: DashboardModel, answersOf: (panel: PanelModel) => object[]) =>
  page.evaluate((data) => (globalThis as unknown as { draw(data: object): string[] }).draw(data), {
    title,
    view,
    panels: panels.map((panel) => ({ ...panel, answers: answersOf(panel) })),
  })

test('every panel is drawn, and says so where there is nothing', async (t) => {
  const page = await browser.open(t, 'about:blank')
  if (page === undefined) return
  await openPanels(page)
  for (const dashboard of dashboards) {
    const empty = await draw(page, dashboard, answerTo)
    assert.deepEqual(empty, [], dashboard.title)
    const nothing = (panel: PanelModel) =>
      (panel.targets ?? []).map((_, at) => ({ refId: at, series: [], exemplars: [] }))
    const titles = await draw(page, dashboard, nothing)
    assert.deepEqual(
      titles,
      panelsOf(dashboard).map(({ title }) => title),
    )
    const said = await page.locator('.empty').allTextContents()
    assert.deepEqual(
      said,
      panelsOf(dashboard).map(({ fieldConfig }) => fieldConfig?.defaults.noValue),
    )
  }
})
