import { showValue } from './bench-figures.ts'
import { nameOf } from './decision.ts'
import { type LoadCurve, type LoadLevel, loadCurves } from './load-levels.ts'
import type { CellSummary } from './summary.ts'
import { at, escaped, label, line, linearScale, picture } from './svg.ts'

const [width, height, left, bottom, top] = [440, 220, 64, 180, 12]

interface Plotted {
  readonly title: string
  readonly unit: 's' | 'tok/s'
  of(level: LoadLevel): number | undefined
}

const plotted: readonly Plotted[] = [
  { title: 'tokens a second, all streams together', unit: 'tok/s', of: ({ throughput }) => throughput },
  {
    title: 'time to first token, median',
    unit: 's',
    of: ({ cell }) => cell.figures.get('time_to_first_token_seconds')?.median,
  },
  {
    title: 'tokens a second of one stream, median',
    unit: 'tok/s',
    of: ({ cell }) => cell.figures.get('output_tokens_per_second')?.median,
  },
]

/** What becomes of throughput and waiting as the load grows. */
export function curves(cells: readonly CellSummary[], givenUp: Parameters<typeof loadCurves>[1]): string {
  return loadCurves(cells, givenUp)
    .map((curve) => {
      const pictures = plotted.flatMap((plot) => plotCurve(curve, plot) ?? [])
      return `<h3>${escaped(`${nameOf(curve)}, ${curve.prompt}, ${curve.mode}`)}</h3>\n<div class="row">${pictures.join('\n')}</div>`
    })
    .join('\n')
}

function plotCurve({ kind, levels, knee }: LoadCurve, { title, unit, of }: Plotted): string | undefined {
  const points = levels.flatMap((level) => {
    const value = of(level)
    return value === undefined ? [] : [{ level, value }]
  })
  if (points.length < 2) return undefined
  const x = linearScale(Math.max(...points.map(({ level }) => level.load)), left, width - 16)
  const y = linearScale(Math.max(...points.map(({ value }) => value)), bottom, top)
  const content = [
    ...y.ticks.flatMap((tick) => [
      line(left, y(tick), width - 16, y(tick), 'grid'),
      label(left - 6, y(tick) + 4, showValue(tick, unit), 'end'),
    ]),
    ...points.map(({ level }) => label(x(level.load), bottom + 15, String(level.load), 'middle')),
    label((left + width) / 2, height - 6, kind === 'closed' ? 'streams at once' : 'requests a second', 'middle'),
    `<polyline points="${points.map(({ level, value }) => `${at(x(level.load))},${at(y(value))}`).join(' ')}" class="curve"/>`,
    ...points.map(({ level, value }) => {
      const name = level === knee ? 'knee' : level.overSaturated ? 'failed-point' : 'point'
      return `<circle cx="${at(x(level.load))}" cy="${at(y(value))}" r="4" class="${name}"/>`
    }),
  ]
  const words = points.map(({ level, value }) => `${level.load}: ${showValue(value, unit)}`).join('; ')
  return `<figure><figcaption>${escaped(title)}</figcaption>${picture(width, height, `${title}. ${words}`, content)}</figure>`
}
