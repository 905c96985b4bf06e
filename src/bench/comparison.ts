import { type BenchFigure, benchFigure, showValue } from './bench-figures.ts'
import type { BenchRun } from './bench-run.ts'
import { seededRandom } from './random.ts'
import type { Section } from './report-section.ts'
import { titleOf } from './report-section.ts'
import { type CellSummary, summarise } from './summary.ts'
import { type Answer, judge } from './verdict.ts'

export const comparedByDefault: readonly string[] = [
  'time_to_first_token_seconds',
  'time_per_output_token_seconds',
  'output_tokens_per_second',
  'output_chars_per_second',
  'request_duration_seconds',
]

export interface ComparedFigure extends Answer {
  readonly model: string
  readonly place: string
  readonly figure: BenchFigure
  /** Kept runs that have the figure. */
  readonly n: readonly [before: number, after: number]
}

export interface Comparison {
  readonly figures: readonly ComparedFigure[]
  /** Of all figures: any worse, else any inconclusive, else no worse. */
  readonly verdict: Answer['verdict']
  readonly notes: readonly string[]
}

export interface CompareOptions {
  /** A share: 0.1 for 10 %. */
  readonly tolerance: number
  readonly figures?: readonly string[]
  readonly seed?: number
}

/**
 * Holds two runs against each other: the same models, prompts, modes and loads. Targets are matched by name where both runs have several; else what
 * the one run has is compared with what the other has, whatever it is called.
 */
export function compareRuns(before: BenchRun, after: BenchRun, options: CompareOptions): Comparison {
  const [first, second] = [before, after].map((run) => summarise(run.exchanges)) as [CellSummary[], CellSummary[]]
  const key = keyFor(first, second)
  const others = new Map(second.map((cell) => [key(cell), cell]))
  const pairs = first.flatMap((cell) => {
    const other = others.get(key(cell))
    others.delete(key(cell))
    return other === undefined ? [] : [[cell, other] as const]
  })
  const notes = [...differentSettings(before, after), ...strays(first, second, pairs), ...failures(pairs)]
  const asked = pairs.flatMap(([cell, other]) =>
    (options.figures ?? comparedByDefault).flatMap((name) => {
      const figure = benchFigure(name)
      const [from, to] = [cell, other].map((one) => one.figures.get(name)?.sorted ?? []) as [number[], number[]]
      // What neither has is no question.
      return from.length + to.length === 0 ? [] : [{ cell, figure, from, to }]
    }),
  )
  const questions = asked.map(({ figure, from, to }) => ({
    before: from,
    after: to,
    better: figure.better ?? ('less' as const),
  }))
  const answers = judge(questions, options.tolerance, seededRandom(`compare ${options.seed ?? 1}`))
  const figures = answers.map((answer, index): ComparedFigure => {
    const { cell, figure, from, to } = asked[index] as (typeof asked)[number]
    return { ...answer, model: cell.model, place: titleOf(cell), figure, n: [from.length, to.length] }
  })
  return { figures, verdict: verdictOf(figures), notes }
}

function verdictOf(figures: readonly ComparedFigure[]): Answer['verdict'] {
  if (figures.some(({ verdict }) => verdict === 'worse')) return 'worse'
  return figures.length === 0 || figures.some(({ verdict }) => verdict === 'inconclusive') ? 'inconclusive' : 'no worse'
}

function keyFor(first: readonly CellSummary[], second: readonly CellSummary[]): (cell: CellSummary) => string {
  const single = (cells: readonly CellSummary[], of: (cell: CellSummary) => string): boolean =>
    new Set(cells.map(of)).size === 1
  const either = (of: (cell: CellSummary) => string): boolean => single(first, of) && single(second, of)
  const [sameTarget, sameModel] = [either(({ target }) => target), either(({ model }) => model)]
  return (cell) => [sameTarget ? '' : cell.target, sameModel ? '' : cell.model, titleOf(cell)].join('\n')
}

function* differentSettings(before: BenchRun, after: BenchRun): Iterable<string> {
  if (before.definitions !== after.definitions) {
    yield `the definitions differ (${before.definitions} and ${after.definitions}): the numbers may mean different things`
  }
  for (const key of ['maxTokens', 'temperature'] as const) {
    const [was, is] = [before.plan[key], after.plan[key]]
    if (was !== is) yield `${key} differs (${was} and ${is}): durations cannot be compared`
  }
  if (before.environment.cpu !== after.environment.cpu || before.environment.node !== after.environment.node) {
    yield 'the runs were made on different machines or versions of Node'
  }
  for (const [name, run] of [
    ['first', before],
    ['second', after],
  ] as const) {
    if (run.interrupted) yield `the ${name} run was stopped before its end`
  }
}

type Pair = readonly [CellSummary, CellSummary]

function strays(first: readonly CellSummary[], second: readonly CellSummary[], pairs: readonly Pair[]): string[] {
  const paired = new Set(pairs.flat())
  const only = (cells: readonly CellSummary[], name: string): string[] =>
    cells
      .filter((cell) => !paired.has(cell))
      .map((cell) => `only the ${name} run has ${cell.model} at ${cell.target}, ${titleOf(cell)}`)
  return [...only(first, 'first'), ...only(second, 'second')]
}

function failures(pairs: readonly Pair[]): string[] {
  return pairs.flatMap(([before, after]) => {
    if (before.failed.length === 0 && after.failed.length === 0) return []
    const share = ({ failed, kept }: CellSummary): string => `${failed.length} of ${kept.length}`
    return [`${after.model}, ${titleOf(after)}: ${share(before)} failed before, ${share(after)} after`]
  })
}

export function comparisonSections({ figures, verdict, notes }: Comparison, tolerance: number): Section[] {
  const rows = figures.map(
    ({ model, place, figure, before, after, n, ratio, interval, p, adjustedP, verdict, moreNeeded }) => [
      model,
      place,
      figure.short,
      `${n[0]}, ${n[1]}`,
      showValue(before, figure.unit),
      showValue(after, figure.unit),
      ratio === undefined || interval === undefined
        ? '–'
        : `${ratio.toFixed(3)} [${interval.low.toFixed(3)}, ${interval.high.toFixed(3)}]`,
      p === undefined ? '–' : showP(p),
      adjustedP === undefined ? '–' : showP(adjustedP),
      verdict === 'inconclusive' ? `inconclusive: ${moreText(moreNeeded, n)}` : verdict,
    ],
  )
  return [
    {
      title: 'Comparison',
      table: {
        head: ['model', 'case', 'figure', 'n', 'before', 'after', 'how much worse [95 %]', 'p', 'p (Holm)', 'verdict'],
        texts: 3,
        rows,
      },
      notes: [
        'Above 1 is worse, for times and for rates. Interval: bootstrap of the ratio of medians; p: Mann-Whitney, two-sided.',
        `Worse: over the tolerance of ${Number((tolerance * 100).toPrecision(3))} %, interval above 1, and p after Holm's correction below 0.05.`,
        ...notes,
      ],
    },
    { title: 'Verdict', notes: [verdict] },
  ]
}

function moreText(more: number | undefined, [before, after]: readonly [number, number]): string {
  if (before === 0 || after === 0) return 'one run does not have it'
  return more === undefined ? 'more runs would hardly tell' : `about ${more} more runs needed`
}

const showP = (p: number): string => (p < 0.001 ? '< 0.001' : p.toFixed(3))
