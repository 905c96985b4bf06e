import type { Reason } from '../measurement/reasons.ts'
import { type BenchFigure, benchFigures } from './bench-figures.ts'
import { type ExchangeResult, isKept, type LeftOut, type Load, loadText } from './exchange-result.ts'
import type { PromptMode } from './prompt.ts'
import {
  ascending,
  type Bound,
  type Interval,
  lowerQuantileBound,
  median,
  medianInterval,
  quantileBound,
} from './statistics.ts'

/** One figure over the kept runs of a cell. */
export interface FigureSummary {
  readonly figure: BenchFigure
  readonly sorted: readonly number[]
  readonly median: number | undefined
  /** Exact, at least 95 %. */
  readonly interval: Interval | undefined
  /** One-sided 95 % bounds of the bad tail (of rates: 5 % and 1 % from below); `undefined` below 59 and 299 values. */
  readonly p95: Bound | undefined
  readonly p99: Bound | undefined
  /** Why it is missing where it is. */
  readonly missing: ReadonlyMap<Reason, number>
}

/** All exchanges with one target, model, prompt, mode and load. */
export interface CellSummary {
  readonly target: string
  readonly model: string
  readonly prompt: string
  readonly mode: PromptMode
  readonly load: Load
  readonly all: readonly ExchangeResult[]
  readonly kept: readonly ExchangeResult[]
  /** Kept ones that did not end well. */
  readonly failed: readonly ExchangeResult[]
  readonly cold: readonly ExchangeResult[]
  readonly leftOut: ReadonlyMap<LeftOut, number>
  /** Of every figure in `benchFigures`. */
  readonly figures: ReadonlyMap<string, FigureSummary>
}

/** In the order in which they were planned, which the first exchange of each does not show: by load, prompt, mode, then as in the plan. */
export function summarise(
  exchanges: readonly ExchangeResult[],
  order: readonly { readonly target: string; readonly model: string }[] = [],
): CellSummary[] {
  const groups = new Map<string, ExchangeResult[]>()
  for (const exchange of exchanges) {
    const key = cellKey(exchange)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [exchange])
    else group.push(exchange)
  }
  const placeOf = (cell: CellSummary): number =>
    order.findIndex(({ target, model }) => target === cell.target && model === cell.model)
  const prompts = [...new Set(exchanges.map(({ prompt }) => prompt))]
  return [...groups.values()]
    .map(summariseCell)
    .sort(
      (a, b) =>
        loadOrder(a.load) - loadOrder(b.load) ||
        prompts.indexOf(a.prompt) - prompts.indexOf(b.prompt) ||
        b.mode.localeCompare(a.mode) ||
        placeOf(a) - placeOf(b),
    )
}

export const cellKey = ({
  target,
  model,
  prompt,
  mode,
  load,
}: Omit<CellSummary, 'all' | 'kept' | 'failed' | 'cold' | 'leftOut' | 'figures'>): string =>
  [target, model, prompt, mode, loadText(load)].join('\n')

const loadOrder = (load: Load): number => (load.kind === 'closed' ? load.concurrency : 1e6 + load.perSecond)

function summariseCell(all: readonly ExchangeResult[]): CellSummary {
  const { target, model, prompt, mode, load } = all[0] as ExchangeResult
  const kept = all.filter(isKept)
  const leftOut = new Map<LeftOut, number>()
  for (const { left } of all) if (left !== null) leftOut.set(left, (leftOut.get(left) ?? 0) + 1)
  return {
    target,
    model,
    prompt,
    mode,
    load,
    all,
    kept,
    failed: kept.filter(({ outcome }) => outcome !== 'ok'),
    cold: all.filter(({ left }) => left === 'cold'),
    leftOut,
    figures: new Map(benchFigures.map((figure) => [figure.name, summariseFigure(figure, kept)])),
  }
}

export function summariseFigure(figure: BenchFigure, kept: readonly ExchangeResult[]): FigureSummary {
  const sorted = ascending(kept.flatMap((result) => figure.of(result) ?? []))
  const bound = (quantile: number): Bound | undefined =>
    figure.better === 'more' ? lowerQuantileBound(sorted, 1 - quantile) : quantileBound(sorted, quantile)
  const missing = new Map<Reason, number>()
  for (const { unmeasured } of kept) {
    const reason = unmeasured[figure.name]
    if (reason !== undefined) missing.set(reason, (missing.get(reason) ?? 0) + 1)
  }
  return {
    figure,
    sorted,
    median: median(sorted),
    interval: medianInterval(sorted),
    p95: bound(0.95),
    p99: bound(0.99),
    missing,
  }
}
