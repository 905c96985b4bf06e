import type { ExchangeRow, Opening, RunningRow, Snapshot } from '../../report/live-shapes.ts'
import type { Course } from './timeline.ts'

/** Outcomes that are nobody's fault. */
const calm = new Set(['ok', 'client_abort', 'shutdown'])
export const isFailure = (outcome: string): boolean => !calm.has(outcome)

const instantsOf = (differences: readonly number[]): number[] => {
  let at = 0
  return differences.map((difference) => {
    at += difference
    return at
  })
}

/** Running streams change their rate as they go: it is that of the last two seconds. */
const rateSpanMs = 2000

/** What the page knows. Views read it, the feed alone writes it. */
export class Model {
  opening: Opening | undefined
  latest: Snapshot | undefined
  /** The newest first, as many as the service keeps. */
  exchanges: ExchangeRow[] = []
  models: NonNullable<Snapshot['models']> = []
  advice: NonNullable<Snapshot['advice']> = []
  /** Counts up when exchanges, or models and advice, change. */
  version = 0
  slowVersion = 0
  /** Times and characters of running streams, by id. */
  readonly #history = new Map<string, { at: number; chars: number }[]>()
  #markIndex = new Map<string, number>()

  open(opening: Opening): void {
    this.opening = opening
    this.latest = undefined
    this.exchanges = []
    this.models = []
    this.advice = []
    this.#history.clear()
    this.#markIndex = new Map(opening.marks.map((name, index) => [name, index]))
    this.version++
    this.slowVersion++
  }

  take(snapshot: Snapshot): void {
    this.latest = snapshot
    if (snapshot.exchanges.length > 0) {
      this.exchanges = [...snapshot.exchanges, ...this.exchanges].slice(0, this.opening?.room ?? 500)
      this.version++
    }
    if (snapshot.models !== undefined || snapshot.advice !== undefined) {
      this.models = snapshot.models ?? this.models
      this.advice = snapshot.advice ?? this.advice
      this.slowVersion++
    }
    this.#remember(snapshot)
  }

  /** Characters a second of the last two seconds; `undefined` where nothing came yet. */
  rateOf(row: RunningRow): number | undefined {
    const history = this.#history.get(row.id)
    const [first] = history ?? []
    const last = history?.at(-1)
    if (row.chars === 0 || first === undefined || last === undefined || last.at - first.at < 200) return undefined
    return ((last.chars - first.chars) * 1000) / (last.at - first.at)
  }

  course(row: RunningRow | ExchangeRow): Course {
    const mark = (name: string): number | undefined => row.marks[this.#markIndex.get(name) ?? -1] ?? undefined
    const running = 'elapsed' in row
    return {
      mark,
      running,
      until: running ? row.elapsed : (mark('ended') ?? 0),
      streamed: running ? row.streamAsked : row.streamed,
      failed: !running && isFailure(row.outcome),
      instants: instantsOf(row.instants),
      stalls: row.stalls,
    }
  }

  /** Value, reason or `null`. */
  figure(row: ExchangeRow, name: string): number | string | null {
    const index = this.opening?.figures.findIndex((figure) => figure.name === name) ?? -1
    return row.figures[index] ?? null
  }

  reason(code: string): string {
    return this.opening?.reasons[code]?.why ?? code
  }

  #remember({ running }: Snapshot): void {
    const alive = new Set<string>()
    for (const { id, elapsed, chars } of running) {
      alive.add(id)
      const history = this.#history.get(id) ?? []
      this.#history.set(id, history)
      history.push({ at: elapsed, chars })
      while (history.length > 2 && elapsed - (history[1]?.at ?? 0) > rateSpanMs) history.shift()
    }
    for (const id of this.#history.keys()) if (!alive.has(id)) this.#history.delete(id)
  }
}
