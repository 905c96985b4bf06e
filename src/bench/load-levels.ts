import { type ExchangeResult, isKept } from './exchange-result.ts'
import { ascending, median } from './statistics.ts'
import { mannWhitney } from './statistics-tests.ts'
import type { CellSummary } from './summary.ts'

/** One point of a curve: a subject under one load. */
export interface LoadLevel {
  readonly cell: CellSummary
  /** Streams at once, or requests a second. */
  readonly load: number
  /** Tokens a second of all streams together; `undefined` without usage. */
  readonly throughput: number | undefined
  /** Open loop: later requests wait longer than early ones, or too many ran. */
  readonly overSaturated: boolean
  /** Open loop: largest lateness of a request against its schedule, ms. */
  readonly longestLagMs: number | undefined
}

export interface LoadCurve {
  readonly kind: 'closed' | 'open'
  readonly target: string
  readonly model: string
  readonly prompt: string
  readonly mode: string
  /** By load, ascending. */
  readonly levels: readonly LoadLevel[]
  /** Closed loops: the load after which more streams cost more waiting than they bring throughput; the last level: not reached. */
  readonly knee: LoadLevel | undefined
}

type GivenUp = readonly { readonly target: string; readonly model: string; readonly perSecond: number }[]

/** Curves of the subjects that were measured under more than one closed load, or under a rate. */
export function loadCurves(cells: readonly CellSummary[], givenUp: GivenUp = []): LoadCurve[] {
  const groups = new Map<string, CellSummary[]>()
  for (const cell of cells) {
    const key = [cell.load.kind, cell.target, cell.model, cell.prompt, cell.mode].join('\n')
    groups.set(key, [...(groups.get(key) ?? []), cell])
  }
  return [...groups.values()].flatMap((group): LoadCurve[] => {
    const { target, model, prompt, mode, load } = group[0] as CellSummary
    if (load.kind === 'closed' && group.length < 2) return []
    const levels = group.map((cell) => levelOf(cell, givenUp)).sort((a, b) => a.load - b.load)
    return [
      {
        kind: load.kind,
        target,
        model,
        prompt,
        mode,
        levels,
        knee: load.kind === 'closed' ? kneeOf(levels) : undefined,
      },
    ]
  })
}

function levelOf(cell: CellSummary, givenUp: GivenUp): LoadLevel {
  if (cell.load.kind === 'closed') {
    const { concurrency } = cell.load
    return {
      cell,
      load: concurrency,
      throughput: closedThroughput(cell.kept, concurrency),
      overSaturated: false,
      longestLagMs: undefined,
    }
  }
  const { perSecond } = cell.load
  const lags = cell.kept.flatMap(({ lagMs }) => lagMs ?? [])
  const gaveUp = givenUp.some(
    (one) => one.target === cell.target && one.model === cell.model && one.perSecond === perSecond,
  )
  return {
    cell,
    load: perSecond,
    throughput: openThroughput(cell.kept),
    overSaturated: gaveUp || fallsBehind(cell.kept),
    longestLagMs: lags.length === 0 ? undefined : Math.max(...lags),
  }
}

/** In a closed loop that is kept full each place yields its tokens over its durations; failed answers take their time and bring nothing. */
function closedThroughput(kept: readonly ExchangeResult[], concurrency: number): number | undefined {
  const seconds = kept.reduce((sum, { figures }) => sum + (figures['request_duration_seconds'] ?? 0), 0)
  const tokens = tokensOf(kept)
  return tokens === undefined || seconds === 0 ? undefined : (concurrency * tokens) / seconds
}

/** Tokens over the time from the first request to the last answer, of each slice. */
function openThroughput(kept: readonly ExchangeResult[]): number | undefined {
  const tokens = tokensOf(kept)
  const seconds = slicesOf(kept).reduce((sum, slice) => {
    const begin = Math.min(...slice.map(({ at }) => at))
    const end = Math.max(...slice.map(({ at, marks }) => at + (marks['ended'] ?? 0)))
    return sum + (end - begin) / 1000
  }, 0)
  return tokens === undefined || seconds === 0 ? undefined : tokens / seconds
}

function tokensOf(kept: readonly ExchangeResult[]): number | undefined {
  const whole = kept.filter(({ outcome }) => outcome === 'ok')
  if (whole.length === 0 || whole.some(({ tokens }) => tokens?.output == null)) return undefined
  return whole.reduce((sum, { tokens }) => sum + (tokens?.output ?? 0), 0)
}

/** The load with the most throughput for its waiting (Kleinrock's power): before it more load is nearly free, after it mostly waits. */
function kneeOf(levels: readonly LoadLevel[]): LoadLevel | undefined {
  let best: { level: LoadLevel; power: number } | undefined
  for (const level of levels) {
    const duration = level.cell.figures.get('request_duration_seconds')?.median
    if (level.throughput === undefined || duration === undefined || duration === 0) return undefined
    const power = level.throughput / duration
    // Noise of a few percent makes no knee.
    if (best === undefined || power > best.power * 1.03) best = { level, power }
  }
  return best?.level
}

const fewestForTrend = 12
const trendRatio = 1.2
const trendP = 0.01

/**
 * Requests of the last third take longer, from their scheduled instants, than those of the middle third: a queue grows. The first third says
 * nothing: it began with nothing running, and any load fills up to its level.
 */
export function fallsBehind(kept: readonly ExchangeResult[]): boolean {
  const middle: number[] = []
  const late: number[] = []
  for (const slice of slicesOf(kept)) {
    const seconds = slice.flatMap(({ figures }) => figures['request_duration_seconds'] ?? [])
    const third = Math.floor(seconds.length / 3)
    middle.push(...seconds.slice(seconds.length - 2 * third, seconds.length - third))
    late.push(...seconds.slice(seconds.length - third))
  }
  if (middle.length + late.length < fewestForTrend) return false
  const [before, after] = [median(ascending(middle)), median(ascending(late))]
  if (before === undefined || after === undefined || after < trendRatio * before) return false
  return (mannWhitney(middle, late)?.p ?? 1) < trendP
}

/** An open loop is done in slices, in each of which rounds count up. */
function slicesOf(results: readonly ExchangeResult[]): ExchangeResult[][] {
  const slices: ExchangeResult[][] = []
  for (const result of results.filter(isKept).toSorted((a, b) => a.at - b.at)) {
    const current = slices.at(-1)
    if (current === undefined || result.round <= (current.at(-1)?.round ?? -1)) slices.push([result])
    else current.push(result)
  }
  return slices
}
