import type { Purpose } from '../config/bench-schema.ts'
import { benchFigure, showValue, showWithInterval } from './bench-figures.ts'
import { type LoadCurve, loadCurves } from './load-levels.ts'
import type { Random } from './random.ts'
import { fewestForBound } from './statistics.ts'
import type { CellSummary, FigureSummary } from './summary.ts'
import { judge } from './verdict.ts'

/**
 * What people who watch an answer being written bear: the limits of the MLPerf Inference benchmark for interactive serving (Llama 2 70B
 * Interactive, version 5.0), 450 ms and 40 ms. 40 ms a token are 25 tokens a second, several times a reader's pace.
 */
export const interactiveLimits = { ttftP95Seconds: 0.45, tpotSeconds: 0.04 } as const
/** More failures than this, and speed does not matter. */
export const mostFailedShare = 0.05

export type Standing = 'meets' | 'not decided' | 'misses'

export interface Ranked {
  readonly name: string
  readonly standing: Standing
  readonly reasons: readonly string[]
}

export interface Advice {
  readonly purpose: Purpose
  readonly prompt: string
  readonly mode: string
  /** The best first. */
  readonly ranked: readonly Ranked[]
  /** What the data do not decide. */
  readonly undecided: readonly string[]
}

interface Candidate extends Ranked {
  readonly cell: CellSummary
  /** Smaller is better. */
  readonly order: readonly number[]
}

/** Ranks what was measured under the least load, mostly single streams, for each prompt; uncached where that was measured. */
export function advise(cells: readonly CellSummary[], purpose: Purpose, random: Random): Advice[] {
  const loads = cells.flatMap(({ load }) => (load.kind === 'closed' ? load.concurrency : []))
  const least = Math.min(...loads)
  const single = cells.filter(({ load }) => load.kind === 'closed' && load.concurrency === least)
  const curves = loadCurves(cells)
  return [...new Set(single.map(({ prompt }) => prompt))].map((prompt) => {
    const own = single.filter((cell) => cell.prompt === prompt)
    const mode = own.some((cell) => cell.mode === 'uncached') ? 'uncached' : 'cached'
    const chosen = own.filter((cell) => cell.mode === mode)
    const candidates = chosen
      .map((cell) => (purpose === 'interactive' ? forPeople(cell) : forBatches(cell, curves)))
      .sort(byOrder)
    const figures = purpose === 'interactive' ? interactiveFigures : batchFigures
    const ranked = candidates.map(({ name, standing, reasons }) => ({ name, standing, reasons }))
    return { purpose, prompt, mode, ranked, undecided: undecided(candidates, figures, random) }
  })
}

const interactiveFigures = ['time_to_first_token_seconds', 'time_per_output_token_seconds']
const batchFigures = ['blended_tokens_per_second', 'cost_usd']
const standings: readonly Standing[] = ['meets', 'not decided', 'misses']

function forPeople(cell: CellSummary): Candidate {
  const [ttft, tpot] = interactiveFigures.map((name) => figureOf(cell, name)) as [FigureSummary, FigureSummary]
  const { ttftP95Seconds, tpotSeconds } = interactiveLimits
  const checks = [firstTokenCheck(ttft, ttftP95Seconds), paceCheck(tpot, tpotSeconds), failureCheck(cell)]
  return {
    cell,
    name: nameOf(cell),
    standing: worst(checks),
    reasons: checks.map(({ reason }) => reason),
    order: [standings.indexOf(worst(checks)), ttft.p95?.value ?? ttft.median ?? Infinity, tpot.median ?? Infinity],
  }
}

interface Check {
  readonly standing: Standing
  readonly reason: string
}

function firstTokenCheck(ttft: FigureSummary, limit: number): Check {
  const against = `(limit ${showValue(limit, 's')})`
  if (ttft.p95 !== undefined) {
    const reason = `TTFT p95 at most ${showValue(ttft.p95.value, 's')} ${against}`
    if (ttft.p95.value <= limit) return { standing: 'meets', reason }
    // The bound may be far above the quantile; the median is below it.
    return { standing: (ttft.interval?.low ?? 0) > limit ? 'misses' : 'not decided', reason }
  }
  const shown = `TTFT median ${showWithInterval(ttft.median, ttft.interval, 's')}`
  if (ttft.interval !== undefined && ttft.interval.low > limit) {
    return { standing: 'misses', reason: `${shown}: p95 is above that ${against}` }
  }
  const needed = `p95 needs ${fewestForBound(0.95)} kept runs, there are ${ttft.sorted.length} ${against}`
  return { standing: 'not decided', reason: `${shown}; ${needed}` }
}

function paceCheck(tpot: FigureSummary, limit: number): Check {
  const why = [...tpot.missing.keys()][0]
  if (tpot.median === undefined)
    return { standing: 'not decided', reason: `no TPOT${why === undefined ? '' : ` (${why})`}` }
  const reason = `TPOT ${showWithInterval(tpot.median, tpot.interval, 's')} (limit ${showValue(limit, 's')})`
  if (tpot.interval === undefined) return { standing: 'not decided', reason }
  if (tpot.interval.high <= limit) return { standing: 'meets', reason }
  return { standing: tpot.interval.low > limit ? 'misses' : 'not decided', reason }
}

function failureCheck({ failed, kept }: CellSummary): Check {
  const share = kept.length === 0 ? 0 : failed.length / kept.length
  return {
    standing: share > mostFailedShare ? 'misses' : 'meets',
    reason: failed.length === 0 ? `none of ${kept.length} failed` : `${failed.length} of ${kept.length} failed`,
  }
}

function forBatches(cell: CellSummary, curves: readonly LoadCurve[]): Candidate {
  const curve = curves.find(
    ({ kind, target, model, prompt, mode }) =>
      kind === 'closed' &&
      target === cell.target &&
      model === cell.model &&
      prompt === cell.prompt &&
      mode === cell.mode,
  )
  const best = curve?.levels.toSorted((a, b) => (b.throughput ?? 0) - (a.throughput ?? 0))[0]
  const alone = figureOf(cell, 'blended_tokens_per_second')
  const throughput = best?.throughput ?? alone.median
  const price = costPerMillion(cell)
  const failures = failureCheck(cell)
  const reasons = [
    best?.throughput === undefined
      ? `one stream brings ${showWithInterval(alone.median, alone.interval, 'tok/s')} tok/s, waiting included`
      : `${best.load} streams bring ${showValue(best.throughput, 'tok/s')} tok/s together`,
    price === undefined ? 'no cost is known' : `${showValue(price, 'USD')} a million generated tokens, prompt included`,
    `${showValue(figureOf(cell, 'output_chars_per_second').median, 'char/s')} char/s in one stream, where tokenizers differ`,
    failures.reason,
  ]
  const standing = throughput === undefined ? 'not decided' : failures.standing
  return {
    cell,
    name: nameOf(cell),
    standing,
    reasons,
    order: [standings.indexOf(standing), price ?? Infinity, -(throughput ?? 0)],
  }
}

/** All that was paid, by all that was generated. */
function costPerMillion({ kept }: CellSummary): number | undefined {
  let [usd, tokens] = [0, 0]
  for (const result of kept) {
    if (result.costUsd === null || result.tokens?.output == null) continue
    usd += result.costUsd
    tokens += result.tokens.output
  }
  return tokens === 0 ? undefined : (usd / tokens) * 1e6
}

/** Neighbours in the ranking of which no figure can be told apart. */
function undecided(candidates: readonly Candidate[], names: readonly string[], random: Random): string[] {
  return candidates.slice(1).flatMap((second, index) => {
    const first = candidates[index] as Candidate
    if (first.standing === 'misses') return []
    const questions = names.map(benchFigure).map(({ name, better }) => ({
      before: figureOf(first.cell, name).sorted,
      after: figureOf(second.cell, name).sorted,
      better: better ?? ('less' as const),
    }))
    const answers = judge(questions, 0, random)
    if (answers.some(({ adjustedP }) => adjustedP !== undefined && adjustedP < 0.05)) return []
    const more = Math.max(0, ...answers.map(({ moreNeeded }) => moreNeeded ?? 0))
    const hint = more > 0 ? `; about ${more} more runs of each might` : ''
    return [`${first.name} or ${second.name}: the data do not decide${hint}`]
  })
}

const figureOf = (cell: CellSummary, name: string): FigureSummary => cell.figures.get(name) as FigureSummary

const worst = (checks: readonly Check[]): Standing =>
  standings[Math.max(...checks.map(({ standing }) => standings.indexOf(standing)))] as Standing

export const nameOf = ({ target, model }: { target: string; model: string }): string => `${model} at ${target}`

function byOrder(a: Candidate, b: Candidate): number {
  for (const [index, value] of a.order.entries()) {
    const other = b.order[index] as number
    if (value !== other) return value - other
  }
  return 0
}
