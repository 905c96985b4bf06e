import { drawLegend } from './legend.mjs'
import { element, format, named, palette } from './units.mjs'
import uPlot from './uPlot.esm.js'

export const axis = { stroke: '#9a9aa8', font: '11px Inter, "DejaVu Sans", sans-serif', ticks: { show: false } }
const grid = { stroke: 'rgba(204, 204, 220, 0.08)', width: 1 }
export const timeAxis = {
  ...axis,
  grid,
  size: 22,
  values: (_, times) => times.map((time) => new Date(time * 1000).toISOString().slice(11, 16)),
  incrs: [60, 120, 300, 600],
}
const powersOfTwo = Array.from({ length: 50 }, (_, at) => 2 ** at)

/** What overrides say of a query's lines, or of a line by its name. */
function overridden(panel, { refId, name }) {
  const found = panel.fieldConfig.overrides.filter(
    ({ matcher }) => matcher.options === (isOfQuery(matcher) ? refId : name),
  )
  return Object.fromEntries(found.flatMap(({ properties }) => properties.map(({ id, value }) => [id, value])))
}

const isOfQuery = ({ id }) => id === 'byFrameRefID'

/** Each lies on the sum of those before it. */
function stacked(columns) {
  const sums = columns[0].map(() => 0)
  return columns.map((values) =>
    values.map((value, at) => {
      sums[at] += value ?? 0
      return sums[at]
    }),
  )
}

function scale({ min, max, custom = {} }) {
  const logarithmic = custom.scaleDistribution?.type === 'log'
  return {
    distr: logarithmic ? 3 : 1,
    range: (_, least, most) => {
      if (least === null) return [null, null]
      if (logarithmic) return uPlot.rangeLog(least, most, 10, true)
      const low = min ?? least
      const [, high] = uPlot.rangeNum(low, max ?? most, 0.1, true)
      // As Grafana where all is zero.
      return [low, max ?? (high <= low || most === 0 ? 100 : high)]
    },
  }
}

/** A panel of time series. Gives false where there is nothing to draw. */
export function drawLines(body, panel, view) {
  const all = panel.answers.flatMap(({ series }) => series)
  if (!all.some(({ values }) => values.some((value) => value !== null))) return false
  const { unit, custom = {} } = panel.fieldConfig.defaults
  for (const [at, one] of all.entries()) {
    const own = overridden(panel, one)
    one.colour = named[own.color?.fixedColor] ?? palette[at % palette.length]
    one.dash = own['custom.lineStyle']?.dash
  }
  const isStacked = custom.stacking?.mode === 'normal'
  const columns = all.map(({ values }) => values)
  const plot = element('div', 'plot')
  body.append(plot)
  drawLegend(body, panel, all)
  const opacity = Math.round((custom.fillOpacity ?? 0) * 2.55).toString(16)
  const options = {
    width: plot.clientWidth,
    height: plot.clientHeight,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 8, 0, 0],
    scales: { x: { time: true, range: () => [view.from, view.to] }, y: scale(panel.fieldConfig.defaults) },
    axes: [
      timeAxis,
      {
        ...axis,
        grid,
        size: 76,
        ...(unit === 'bytes' && { incrs: powersOfTwo }),
        values: (_, splits) => splits.map((value) => (value === null ? '' : format(unit, value))),
      },
    ],
    series: [
      {},
      ...all.map(({ colour, dash }) => ({
        stroke: colour,
        width: custom.lineWidth ?? 1,
        dash,
        fill: opacity === '0' ? undefined : `${colour}${opacity}`,
        spanGaps: false,
        points: { size: 4 },
      })),
    ],
    bands: isStacked ? all.slice(1).map((_, at) => ({ series: [at + 2, at + 1] })) : [],
    hooks: {
      draw: [
        (plotted) =>
          diamonds(
            plotted,
            panel.answers.flatMap(({ exemplars }) => exemplars),
          ),
        (plotted) => limits(plotted, panel.fieldConfig.defaults),
      ],
    },
  }
  new uPlot(options, [all[0].times, ...(isStacked ? stacked(columns) : columns)], plot)
  return true
}

function limits(plotted, { custom, thresholds }) {
  if (custom?.thresholdsStyle?.mode !== 'dashed') return
  const { ctx, bbox } = plotted
  for (const { value, color } of thresholds.steps) {
    if (value === null) continue
    const y = plotted.valToPos(value, 'y', true)
    ctx.save()
    ctx.strokeStyle = named[color]
    ctx.setLineDash([10, 10])
    ctx.beginPath()
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(bbox.left + bbox.width, y)
    ctx.stroke()
    ctx.restore()
  }
}

/** Exemplars. Those beyond the scale are left out, as in Grafana. */
export function diamonds(plotted, dots, toY = (value) => value) {
  const { ctx } = plotted
  const { min, max } = plotted.scales.y
  ctx.save()
  ctx.fillStyle = '#5794f2cc'
  for (const [time, value] of dots) {
    const height = toY(value)
    if (height < min || height > max) continue
    const [x, y] = [plotted.valToPos(time, 'x', true), plotted.valToPos(height, 'y', true)]
    ctx.beginPath()
    ctx.moveTo(x, y - 4)
    ctx.lineTo(x + 4, y)
    ctx.lineTo(x, y + 4)
    ctx.lineTo(x - 4, y)
    ctx.fill()
  }
  ctx.restore()
}
