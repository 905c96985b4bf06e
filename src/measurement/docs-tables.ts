import { charRateBuckets, gapBuckets, latencyBuckets, overheadBuckets, tokenRateBuckets } from './buckets.ts'
import type { Figure } from './figure.ts'
import { figures, interChunkTime } from './figures.ts'
import { type Reason, reasons, reasonTexts } from './reasons.ts'

/** Tables of the docs that are made from the lists here, by the name that marks their place in a page. */
export function measurementTables(): ReadonlyMap<string, string> {
  return new Map([
    ['figures', table(['figure', 'unit', 'formula', 'where'], figures.map(shortRow))],
    ['figures in full', table(['figure', 'name', 'unit', 'formula', 'what it tells'], figures.map(fullRow))],
    ['reasons', table(['reason', 'why the figure is missing', 'what to do'], reasons.map(reasonRow))],
    ['buckets', table(['histograms', 'unit', 'bounds'], bucketRows())],
  ])
}

function shortRow(figure: Figure): string[] {
  return [figure.title, figure.unit, `\`${figure.formula}\``, whereOf(figure)]
}

function whereOf(figure: Figure): string {
  // Its samples are too many for a line.
  if (figure === interChunkTime) return 'histogram'
  return figure.buckets === undefined ? 'log' : 'histogram, log'
}

function fullRow(figure: Figure): string[] {
  const where = figure.buckets === undefined ? ' (log only)' : ''
  return [figure.title, `\`${figure.name}\`${where}`, figure.unit, `\`${figure.formula}\``, figure.help]
}

function reasonRow(reason: Reason): string[] {
  const { why, remedy } = reasonTexts[reason]
  return [`\`${reason}\``, why, remedy]
}

function bucketRows(): string[][] {
  return [latencyBuckets, gapBuckets, tokenRateBuckets, charRateBuckets, overheadBuckets].map((bounds) => {
    const users = figures.filter((figure) => figure.buckets === bounds)
    const names = users.map((figure) => figure.title.toLowerCase()).join(', ')
    return [names, users[0]?.unit ?? '', bounds.join(' ')]
  })
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')
}
