import { type BenchFigure, benchFigure, showValue, showWithInterval } from './bench-figures.ts'
import { nameOf } from './decision.ts'
import { titleOf } from './report-section.ts'
import { ascending } from './statistics.ts'
import type { CellSummary } from './summary.ts'
import { at, bottomAxis, escaped, label, line, linearScale, picture } from './svg.ts'

const shown = [
  'time_to_first_token_seconds',
  'time_per_output_token_seconds',
  'output_tokens_per_second',
  'output_chars_per_second',
  'request_duration_seconds',
].map(benchFigure)

const [width, labelWidth, rowHeight, top] = [920, 260, 34, 8]

/** Every kept run as a dot, the median with its interval, the cold run hollow and apart. One picture for each figure and case. */
export function distributions(cells: readonly CellSummary[]): string {
  return [...new Set(cells.map(titleOf))]
    .map((title) => {
      const own = cells.filter((cell) => titleOf(cell) === title)
      const pictures = shown.flatMap((figure) => distribution(figure, own, title) ?? [])
      return pictures.length === 0 ? '' : `<h3>${escaped(title)}</h3>\n${pictures.join('\n')}`
    })
    .join('\n')
}

function distribution(figure: BenchFigure, cells: readonly CellSummary[], title: string): string | undefined {
  const rows = cells.map((cell) => ({
    cell,
    found: cell.figures.get(figure.name),
    cold: cell.cold.flatMap((result) => figure.of(result) ?? []),
  }))
  const values = ascending(rows.flatMap(({ found, cold }) => [...(found?.sorted ?? []), ...cold]))
  const most = values.at(-1)
  if (most === undefined || rows.every(({ found }) => found?.sorted.length === 0)) return undefined
  const bottom = top + rows.length * rowHeight
  const scale = linearScale(most, labelWidth, width - 30)
  const content = bottomAxis(scale, top, bottom, (value) => showValue(value, figure.unit))
  for (const [index, { cell, found, cold }] of rows.entries()) {
    const middle = top + (index + 0.5) * rowHeight
    content.push(label(0, middle + 4, nameOf(cell)))
    for (const [n, value] of (found?.sorted ?? []).entries()) {
      // Side by side in a fixed pattern: equal values must not hide each other.
      const offset = (((n * 5) % 7) - 3) * 2.2
      content.push(`<circle cx="${at(scale(value))}" cy="${at(middle + offset)}" r="2.6" class="run"/>`)
    }
    if (found?.interval !== undefined) {
      const { low, high } = found.interval
      content.push(line(scale(low), middle, scale(high), middle, 'interval'))
    }
    if (found?.median !== undefined)
      content.push(line(scale(found.median), middle - 11, scale(found.median), middle + 11, 'median'))
    for (const value of cold) content.push(`<circle cx="${at(scale(value))}" cy="${at(middle)}" r="4.5" class="cold"/>`)
  }
  const words = rows.map(
    ({ cell, found }) => `${nameOf(cell)}: ${showWithInterval(found?.median, found?.interval, figure.unit)}`,
  )
  const heading = `${figure.title} (${figure.unit === 's' ? 'time' : figure.unit})`
  return `<figure><figcaption>${escaped(heading)}</figcaption>${picture(width, bottom + 22, `${figure.title}, ${title}. ${words.join('; ')}`, content)}</figure>`
}
