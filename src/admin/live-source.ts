import { figures } from '../measurement/figures.ts'
import { reasonTexts } from '../measurement/reasons.ts'
import { adviseOn } from '../report/advice.ts'
import type { EventLoopWatch } from '../report/event-loop.ts'
import type { InFlight } from '../report/in-flight.ts'
import { exchangeRow, markNames, runningRow } from '../report/live-rows.ts'
import type { Advice, Opening, Snapshot } from '../report/live-shapes.ts'
import type { ModelTable } from '../report/model-table.ts'
import { binGrowth, lowestRate, lowestSeconds } from '../report/model-tally.ts'
import type { Recent } from '../report/recent.ts'

export interface LiveSources {
  readonly inFlight: Pick<InFlight, 'running' | 'size'>
  readonly recent: Recent
  readonly models: Pick<ModelTable, 'rows'>
  readonly eventLoop: Pick<EventLoopWatch, 'longStalls'>
  /** The marks' own clock, ms. */
  readonly clock: () => number
  /** ms since the epoch. */
  readonly wallClock: () => number
}

export interface PageFacts {
  readonly version: string
  /** Where apps reach the proxy, e.g. `http://127.0.0.1:8484`. */
  readonly proxyUrl: string
  /** In the order of the configuration: the first is the default. */
  readonly gateways: readonly string[]
}

/** Rows of one snapshot: about 100 KB at the very most. */
const mostRunning = 100
const mostNew = 60
/** Stalls older than this are history, ms. */
const stallsKeptMs = 15 * 60_000

export function openingOf(facts: PageFacts, { recent }: LiveSources): Opening {
  return {
    ...facts,
    figures: figures.map(({ name, title, unit, help, formula }) => ({ name, title, unit, help, formula })),
    reasons: reasonTexts,
    marks: markNames,
    room: recent.size,
    bins: { seconds: lowestSeconds, rate: lowestRate, growth: binGrowth },
  }
}

/** What runs now, and the exchanges that ended after the one numbered `after`, at most `most` of them. */
export function snapshotOf(sources: LiveSources, after: number, most = mostNew): Snapshot {
  const now = sources.clock()
  const ended = sources.recent.list(after)
  let awaiting = 0
  let longestWait = 0
  const running = [...sources.inFlight.running()]
  for (const { identity, marks } of running) {
    if (!identity.streamAsked || marks.firstToken !== undefined) continue
    awaiting++
    longestWait = Math.max(longestWait, now - (marks.dispatched ?? marks.received))
  }
  // The oldest may hang, the newest are what one has just started: both ends are shown.
  const shown =
    running.length <= mostRunning ? running : [...running.slice(0, mostRunning / 2), ...running.slice(-mostRunning / 2)]
  return {
    now: sources.wallClock(),
    running: shown.map((exchange) => runningRow(exchange, now)),
    runningTotal: running.length,
    awaiting,
    longestWait: Math.round(longestWait),
    exchanges: ended.slice(0, most).map(exchangeRow),
    skipped: Math.max(0, sources.recent.serial - after - Math.min(most, ended.length)),
  }
}

export function adviceOf({ recent, eventLoop, clock, wallClock }: LiveSources): Advice[] {
  const now = clock()
  const stalls = eventLoop.longStalls
    .filter(({ at }) => now - at <= stallsKeptMs)
    .map((stall) => ({ ...stall, wallClock: wallClock() - (now - stall.at) }))
  return adviseOn(recent.list(), stalls)
}
