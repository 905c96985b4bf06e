import { type BenchFigure, benchFigure } from './bench-figures.ts'
import { ascending, type Interval, median, medianInterval } from './statistics.ts'
import type { CellSummary } from './summary.ts'

/** How much more one target takes than another for the same model, by pairs of runs in the same round. */
export interface Difference {
  readonly model: string
  readonly prompt: string
  readonly mode: string
  readonly from: string
  readonly to: string
  readonly figure: BenchFigure
  readonly pairs: number
  /** Median of `to` minus `from`, in the figure's unit. */
  readonly median: number
  readonly interval: Interval | undefined
}

const differing = [
  'time_to_first_token_seconds',
  'time_to_first_answer_seconds',
  'time_per_output_token_seconds',
  'output_tokens_per_second',
  'request_duration_seconds',
].map(benchFigure)

/** Of single streams: under load rounds are no pairs. The first target of a model is what the others are held against. */
export function differences(cells: readonly CellSummary[]): Difference[] {
  const single = cells.filter(({ load }) => load.kind === 'closed' && load.concurrency === 1)
  return single.flatMap((cell, index) => {
    const isSame = (other: CellSummary): boolean =>
      other.model === cell.model && other.prompt === cell.prompt && other.mode === cell.mode
    const first = single.find(isSame)
    if (first === undefined || first === cell || single.indexOf(cell) !== index) return []
    const hasReasoning = [first, cell].some(({ kept }) => kept.some(({ reasoning }) => reasoning !== null))
    // Without reasoning the first answer token is the first token.
    const asked = differing.filter(({ name }) => hasReasoning || name !== 'time_to_first_answer_seconds')
    return asked.flatMap((figure) => differenceOf(first, cell, figure) ?? [])
  })
}

function differenceOf(first: CellSummary, second: CellSummary, figure: BenchFigure): Difference | undefined {
  const byRound = new Map(first.kept.map((result) => [result.round, figure.of(result)]))
  const gaps = second.kept.flatMap((result) => {
    const [before, after] = [byRound.get(result.round), figure.of(result)]
    return before === undefined || after === undefined ? [] : [after - before]
  })
  const sorted = ascending(gaps)
  const middle = median(sorted)
  if (middle === undefined) return undefined
  const { model, prompt, mode } = second
  return {
    model,
    prompt,
    mode,
    from: first.target,
    to: second.target,
    figure,
    pairs: sorted.length,
    median: middle,
    interval: medianInterval(sorted),
  }
}
