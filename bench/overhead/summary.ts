import type { Row } from './measurements.ts'

export interface Spread {
  readonly median: number
  /** Of the round in which it was lowest (highest where more is better): the one with the least of other work on the machine. */
  readonly quietest: number
}

export type Summary = Readonly<Record<string, Readonly<Record<string, Spread>>>>

const moreIsBetter = (figure: string): boolean => figure.endsWith('PerSecond') || figure.endsWith('Share')

export function summarise(samples: ReadonlyMap<string, readonly Row[]>): Summary {
  return Object.fromEntries(
    [...samples].map(([name, rows]) => {
      const figures = [...new Set(rows.flatMap((row) => Object.keys(row)))]
      return [
        name,
        Object.fromEntries(
          figures.map((figure) => {
            const values = rows.map((row) => row[figure]).filter((value) => value !== undefined)
            return [figure, spreadOf(values, moreIsBetter(figure))]
          }),
        ),
      ]
    }),
  )
}

function spreadOf(values: readonly number[], high: boolean): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  return { median: middle, quietest: (high ? sorted.at(-1) : sorted[0]) ?? Number.NaN }
}

/** What is held against each other: a figure, and at most how much of the other's, plus so much. */
export interface Goal {
  readonly figure: string
  readonly than: string
  readonly times: number
  readonly plus: number
}

export const goals: readonly Goal[] = [
  { figure: 'cpuPerMillionChunks', than: 'bare', times: 1.15, plus: 0 },
  { figure: 'cpuPerMillionChunks', than: 'nginx', times: 2.3, plus: 0 },
  { figure: 'cpuPerMillionChunks', than: 'portkey', times: 0.25, plus: 0 },
  { figure: 'firstTokenP50Us', than: 'bare', times: 1, plus: 100 },
  { figure: 'firstTokenP99Us', than: 'bare', times: 2, plus: 0 },
  { figure: 'jsonCpuPerMillion', than: 'bare', times: 1.6, plus: 0 },
  { figure: 'bytesPerStreamAt1000', than: 'bare', times: 1, plus: 15_000 },
  { figure: 'bytesPerStreamAt2000', than: 'bare', times: 1, plus: 15_000 },
]

/** One line a goal whose both sides were measured. */
export function judge(summary: Summary): string[] {
  return goals.flatMap(({ figure, than, times, plus }) => {
    const ours = summary['streamgauge']?.[figure]?.quietest
    const theirs = summary[than]?.[figure]?.quietest
    if (ours === undefined || theirs === undefined) return []
    const most = theirs * times + plus
    const more = plus === 0 ? '' : ` + ${plus}`
    const verdict = ours <= most ? 'met:' : 'missed:'
    return [
      `${verdict} ${figure}: ${format(ours)}, at most ${times} x ${than}'s ${format(theirs)}${more} = ${format(most)} (ratio ${(ours / theirs).toFixed(2)})`,
    ]
  })
}

/** For CI, where machines are busy: what is over these is no noise. */
const wideLimits: readonly Omit<Goal, 'plus'>[] = [
  { figure: 'cpuPerMillionChunks', than: 'bare', times: 3 },
  { figure: 'jsonCpuPerMillion', than: 'bare', times: 9 },
]

/** What is far from what it should be; empty where all is well. */
export function checkRatios(summary: Summary): string[] {
  const ours = summary['streamgauge']
  const faults = wideLimits.flatMap(({ figure, than, times }) => {
    const ratio = (ours?.[figure]?.quietest ?? 0) / (summary[than]?.[figure]?.quietest ?? Number.POSITIVE_INFINITY)
    return ratio > times ? [`${figure}: ${format(ratio)} times ${than}'s, at most ${times}`] : []
  })
  for (const [name, figures] of Object.entries(summary)) {
    if ((figures['failed']?.median ?? 0) > 0) faults.push(`${name}: streams failed`)
  }
  return faults
}

export function tableOf(summary: Summary): string {
  const names = Object.keys(summary)
  const figures = [...new Set(names.flatMap((name) => Object.keys(summary[name] ?? {})))]
  let text = ''
  for (const figure of figures) {
    text += `\n${figure} (median, quietest round)\n`
    for (const name of names) {
      const spread = summary[name]?.[figure]
      if (spread === undefined) continue
      text += `  ${name.padEnd(24)} ${format(spread.median).padStart(10)} ${format(spread.quietest).padStart(10)}\n`
    }
  }
  return text
}

export function format(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3)
}
