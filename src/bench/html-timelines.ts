import { showValue } from './bench-figures.ts'
import { nameOf } from './decision.ts'
import type { ExchangeResult } from './exchange-result.ts'
import { titleOf } from './report-section.ts'
import type { CellSummary } from './summary.ts'
import { at, bottomAxis, escaped, line, linearScale, picture } from './svg.ts'

/** Streams shown of each case; the rest look alike. */
const mostStreams = 30
const [width, left, rowHeight, top] = [920, 22, 12, 6]

/** Each stream as a line: waiting, generating, and a tick for every chunk with output. */
export function timelines(cells: readonly CellSummary[]): string {
  return cells
    .map((cell) => {
      const streams = cell.all.filter(({ marks }) => marks['ended'] != null).slice(0, mostStreams)
      if (streams.length === 0) return ''
      return `<figure><figcaption>${escaped(captionOf(cell, streams.length))}</figcaption>${timeline(cell, streams)}</figure>`
    })
    .join('\n')
}

function captionOf(cell: CellSummary, shown: number): string {
  const part = shown < cell.all.length ? `, the first ${shown} of ${cell.all.length}` : ''
  return `${nameOf(cell)}, ${titleOf(cell)}${part}`
}

function timeline(cell: CellSummary, streams: readonly ExchangeResult[]): string {
  const longest = Math.max(...streams.map(({ marks }) => marks['ended'] as number))
  const bottom = top + streams.length * rowHeight
  const scale = linearScale(longest / 1000, left, width - 30)
  const x = (ms: number): number => scale(ms / 1000)
  const content = bottomAxis(scale, top, bottom, (value) => showValue(value, 's'))
  for (const [index, { marks, instants, left: why, outcome }] of streams.entries()) {
    const y = top + index * rowHeight
    const [begin, end] = [marks['dispatched'] ?? 0, marks['ended'] as number]
    const [first, last] = [marks['firstToken'] ?? end, marks['lastToken'] ?? end]
    const bar = (from: number, to: number, name: string): string =>
      `<rect x="${at(x(from))}" y="${at(y + 2)}" width="${at(Math.max(0.5, x(to) - x(from)))}" height="${rowHeight - 4}" class="${name}"/>`
    content.push(bar(begin, first, why === 'cold' ? 'wait-cold' : 'wait'))
    if (marks['firstToken'] != null) content.push(bar(first, last, 'generate'))
    if (marks['firstAnswer'] != null && marks['firstAnswer'] > first)
      content.push(bar(first, marks['firstAnswer'], 'reason'))
    // One path for all ticks: a line each would make a page of megabytes.
    const ticks = instants.map((instant) => `M${at(x(instant))} ${y + 3}v${rowHeight - 6}`).join('')
    if (ticks !== '') content.push(`<path d="${ticks}" class="chunk"/>`)
    if (outcome !== 'ok') content.push(line(x(end), y + 1, x(end), y + rowHeight - 1, 'failed'))
  }
  const words = `${streams.length} streams of ${nameOf(cell)}: waiting, then generating`
  return picture(width, bottom + 22, words, content)
}
