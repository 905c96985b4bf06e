import { axis, diamonds, timeAxis } from './lines.mjs'
import { element, format } from './units.mjs'
import uPlot from './uPlot.esm.js'

/** From Grafana's scheme for a dark page: the more, the brighter. */
const shades = [
  [56, 24, 8],
  [127, 39, 4],
  [217, 72, 1],
  [253, 141, 60],
  [253, 208, 162],
  [255, 245, 235],
]

function shade(share) {
  const at = share * (shades.length - 1)
  const [below, above] = [shades[Math.floor(at)], shades[Math.ceil(at)]]
  return `rgb(${below.map((part, channel) => Math.round(part + (above[channel] - part) * (at % 1))).join(' ')})`
}

/** Counts of single buckets, from those of all below a bound. */
function cells(series) {
  const bounds = series
    .map((one) => ({ ...one, bound: one.metric.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(one.metric.le) }))
    .sort((one, another) => one.bound - another.bound)
  return bounds.map(({ bound, times, values }, at) => ({
    bound,
    times,
    values: values.map((value, index) =>
      value === null ? null : value - (at === 0 ? 0 : (bounds[at - 1].values[index] ?? 0)),
    ),
  }))
}

/** A panel of cells: one row a bucket. */
export function drawHeat(body, panel, view) {
  const rows = cells(panel.answers[0].series)
  const most = Math.max(0, ...rows.flatMap(({ values }) => values.map((value) => value ?? 0)))
  if (most === 0) return false
  const { times } = rows[0]
  const step = times[1] - times[0]
  const { unit } = panel.options.yAxis
  const rowOf = (value) => rows.findIndex(({ bound }) => value <= bound) + 0.5
  const shown = (bound) => (Number.isFinite(bound) ? format(unit, bound) : '+Inf')
  const plot = element('div', 'plot')
  body.append(plot)
  const every = Math.ceil(rows.length / ((plot.clientHeight - 15) / 14))
  new uPlot(
    {
      width: plot.clientWidth,
      height: plot.clientHeight,
      legend: { show: false },
      cursor: { show: false },
      padding: [8, 8, 0, 0],
      scales: { x: { time: true, range: () => [view.from, view.to] }, y: { range: () => [0, rows.length] } },
      axes: [
        timeAxis,
        {
          ...axis,
          size: 76,
          grid: { show: false },
          splits: () => rows.map((_, at) => at + 1).filter((at) => at % every === 0),
          values: (_, splits) => splits.map((at) => shown(rows[at - 1].bound)),
        },
      ],
      series: [{}, { show: false }],
      hooks: {
        draw: [
          (plotted) => {
            const { ctx } = plotted
            for (const [at, { values }] of rows.entries()) {
              const [top, bottom] = [plotted.valToPos(at + 1, 'y', true), plotted.valToPos(at, 'y', true)]
              for (const [index, value] of values.entries()) {
                if (value === null || value <= 1e-9) continue
                const right = plotted.valToPos(times[index], 'x', true)
                const left = Math.max(plotted.bbox.left, plotted.valToPos(times[index] - step, 'x', true))
                ctx.fillStyle = shade(value / most)
                if (right > left) ctx.fillRect(left, top, right - left - 1, bottom - top - 1)
              }
            }
            diamonds(plotted, panel.answers[0].exemplars, rowOf)
          },
        ],
      },
    },
    [times, times.map(() => null)],
    plot,
  )
  return true
}
