import type { Row } from './measurements.ts'
import { format, judge, type Summary } from './summary.ts'

const columns: readonly (readonly [figure: string, head: string, divisor: number])[] = [
  ['cpuPerMillionChunks', 'CPU, s per million chunks', 1],
  ['chunkDelayP50Us', 'chunk delay p50, µs', 1],
  ['chunkDelayP99Us', 'p99, ms', 1000],
  ['firstTokenP50Us', 'first token p50, µs', 1],
  ['firstTokenP99Us', 'p99, ms', 1000],
  ['jsonPerSecond', 'JSON answers/s', 1],
  ['jsonCpuPerMillion', 'CPU, µs each', 1],
  ['bytesPerStreamAt1000', 'KB a stream at 1000', 1000],
  ['bytesPerStreamAt2000', 'at 2000', 1000],
]

/** What docs/performance.md shows, of the quietest rounds. */
export function markdownOf(summary: Summary, scrapes: readonly Row[]): string {
  const cells = (name: string): string[] =>
    columns.map(([figure, , divisor]) => {
      const value = summary[name]?.[figure]?.quietest
      return value === undefined ? '' : format(value / divisor)
    })
  const lines = [
    `| | ${columns.map(([, head]) => head).join(' | ')} |`,
    `| --- |${' --- |'.repeat(columns.length)}`,
    ...Object.keys(summary).map((name) => `| ${name} | ${cells(name).join(' | ')} |`),
    '',
    '| series | scrape, ms | longest hold, ms (median of 5) | quietest | longest turn without a scrape, ms |',
    '| --- | --- | --- | --- | --- |',
    ...scrapes.map(
      (row) =>
        `| ${['series', 'tookMs', 'holdMedianMs', 'holdQuietestMs', 'turnWithoutMedianMs'].map((name) => format(row[name] ?? Number.NaN)).join(' | ')} |`,
    ),
    '',
    ...judge(summary).map((line) => `* ${line}`),
  ]
  return `${lines.join('\n')}\n`
}
