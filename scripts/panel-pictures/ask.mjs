import { interpolate } from '../../dist/test/helpers/promql.js'

/** Of the data source in grafana/provisioning, seconds. */
const scrapeInterval = 15
/** A panel's border and padding, px. */
const around = 16

export const columnWidth = (dashboardWidth) => dashboardWidth / 24

/** As Grafana: a step that gives no more points than pixels, no shorter than the panel's interval; windows of four scrapes or more. */
function intervals(panel, { from, to, width }) {
  const minutes = /^(\d+)m$/.exec(panel.interval ?? '')
  const least = minutes === null ? scrapeInterval : Number(minutes[1]) * 60
  const points = panel.gridPos.w * columnWidth(width) - around
  const step = Math.max(least, Math.ceil((to - from) / points))
  return { step, rateInterval: `${Math.max(step + scrapeInterval, 4 * scrapeInterval)}s`, range: `${to - from}s` }
}

/** `{{label}}` of a legend, filled in. */
const named = (format, metric) => format.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, label) => metric[label] ?? '')

const number = (text) => (text === 'NaN' ? null : Number(text))

async function range(prometheus, expr, { from, to }, step) {
  const start = Math.floor(from / step) * step
  const asked = new URLSearchParams({ query: expr, start, end: Math.floor(to / step) * step, step })
  const { result } = await prometheus.get(`query_range?${asked}`)
  const times = Array.from({ length: Math.floor((to - start) / step) + 1 }, (_, at) => start + at * step)
  return result.map(({ metric, values }) => {
    const byTime = new Map(values)
    return { metric, times, values: times.map((time) => (byTime.has(time) ? number(byTime.get(time)) : null)) }
  })
}

/** Of each step the highest, and those that lie two standard deviations below the one before: as Grafana thins them out. */
function thinned(dots, step) {
  const mean = dots.reduce((sum, [, value]) => sum + value, 0) / dots.length
  const deviation = Math.sqrt(dots.reduce((sum, [, value]) => sum + (value - mean) ** 2, 0) / dots.length)
  const lowest = new Map()
  return dots
    .toSorted(([, one], [, another]) => another - one)
    .filter(([time, value]) => {
      const at = Math.floor(time / step)
      if (lowest.has(at) && lowest.get(at) - value < 2 * deviation) return false
      lowest.set(at, value)
      return true
    })
}

async function exemplars(prometheus, expr, { from, to }, step) {
  const found = await prometheus.get(`query_exemplars?${new URLSearchParams({ query: expr, start: from, end: to })}`)
  const dots = found.flatMap((series) => series.exemplars.map(({ timestamp, value }) => [timestamp, Number(value)]))
  return thinned(dots, step)
}

/** The results of one panel's queries: a list for each, `{ refId, legend, metric, times, values }` or `{ …, value }`. */
async function answers(prometheus, panel, view) {
  const { step, rateInterval, range: shown } = intervals(panel, view)
  return Promise.all(
    (panel.targets ?? []).map(async ({ refId, expr, legendFormat = '', instant, exemplar }) => {
      const query = interpolate(expr, { rateInterval, range: shown })
      const series =
        instant === true ? await prometheus.query(query, view.to) : await range(prometheus, query, view, step)
      return {
        refId,
        series: series.map((one) => ({ ...one, refId, name: named(legendFormat, one.metric) })),
        exemplars: exemplar === true ? await exemplars(prometheus, query, view, step) : [],
      }
    }),
  )
}

/** A dashboard with what its panels' queries say, at All, for a time shown. `view`: from and to in seconds, width in px. */
export async function answered(prometheus, dashboard, view) {
  const panels = []
  for (const panel of dashboard.panels) panels.push({ ...panel, answers: await answers(prometheus, panel, view) })
  return { title: dashboard.title, panels, view }
}
