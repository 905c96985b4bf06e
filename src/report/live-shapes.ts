/** What the live page is sent. Types alone, and nothing of Node, for they are compiled for the browser too. */

/** A figure as the page needs it, in the order of the list of figures. */
export interface FigureShape {
  readonly name: string
  readonly title: string
  readonly unit: string
  readonly help: string
  readonly formula: string
}

/** Sent once to each viewer, before anything else. */
export interface Opening {
  readonly version: string
  /** Where apps reach the proxy. */
  readonly proxyUrl: string
  readonly gateways: readonly string[]
  readonly figures: readonly FigureShape[]
  readonly reasons: Readonly<Record<string, { readonly why: string; readonly remedy: string }>>
  /** Names of marks, in the order of the rows' `marks`. */
  readonly marks: readonly string[]
  /** Exchanges that are kept. */
  readonly room: number
  /** Smallest value of the lowest bin of each picture of a distribution, and how much wider each bin is than the one before. */
  readonly bins: { readonly seconds: number; readonly rate: number; readonly growth: number }
}

export interface ExchangeNames {
  readonly id: string
  readonly gateway: string
  readonly app: string
  readonly model: string
  readonly operation: string | null
}

interface Timeline {
  /** ms after `received`; `null`: did not happen (yet). */
  readonly marks: readonly (number | null)[]
  /** Whole ms: the first output chunk after `received`, then each after the one before. Thinned. */
  readonly instants: readonly number[]
  /** Every how many-th chunk stands in `instants`. */
  readonly stride: number
  /** [from, to], ms after `received`. */
  readonly stalls: readonly (readonly [number, number])[]
}

export interface RunningRow extends ExchangeNames, Timeline {
  readonly streamAsked: boolean
  /** ms since `received`. */
  readonly elapsed: number
  readonly chars: number
  readonly chunks: number
}

export interface ExchangeRow extends ExchangeNames, Timeline {
  readonly serial: number
  /** ms since the epoch. */
  readonly startedAt: number
  readonly method: string
  readonly path: string
  readonly status: number | null
  readonly streamed: boolean
  readonly outcome: string
  readonly error: string | null
  readonly servedModel: string | null
  readonly provider: string | null
  readonly cache: string | null
  /** input, cached input, output, reasoning */
  readonly tokens: readonly (number | null)[] | null
  readonly costUsd: number | null
  /** In the order of the list of figures: the value, or the reason why it is missing, or `null` where it does not apply. */
  readonly figures: readonly (number | string | null)[]
  readonly flags: readonly string[]
}

/** A distribution of one figure. Percentiles that n cannot support are `null`. */
export interface Distribution {
  readonly n: number
  readonly p50: number | null
  readonly p95: number | null
  /** Index of the first bin that is sent, and counts from there. */
  readonly first: number
  readonly counts: readonly number[]
}

export interface ModelWindow {
  readonly n: number
  readonly errors: number
  readonly clientsLeft: number
  readonly cacheHits: number
  /** Those whose cache state was told. */
  readonly cacheKnown: number
  readonly outputTokens: number
  readonly costUsd: number | null
  readonly ttft: Distribution
  readonly answer: Distribution
  readonly rate: Distribution
  readonly chars: Distribution
  readonly tpot: Distribution
}

export const windowNames = ['5 min', '1 h', 'since start'] as const

export interface ModelRow {
  readonly gateway: string
  readonly model: string
  /** In the order of `windowNames`; `null`: nothing in that window. */
  readonly windows: readonly (ModelWindow | null)[]
}

/** Something that cannot be measured, or not well, and what to do about it. */
export interface Advice {
  readonly severity: 'warning' | 'note'
  readonly kind: 'app' | 'gateway' | 'model' | 'instrument'
  /** Of the app, gateway or model; `''` where there is none. */
  readonly name: string
  /** What is the matter, as a clause. */
  readonly what: string
  readonly why: string
  readonly remedy: string
  /** An exchange that shows it. */
  readonly example: string | null
  /** When the worst of it was, ms since the epoch. */
  readonly at: number | null
}

export interface Snapshot {
  /** Wall clock, ms since the epoch. */
  readonly now: number
  readonly running: readonly RunningRow[]
  readonly runningTotal: number
  readonly awaiting: number
  /** ms since `dispatched` of the stream that waits longest for its first token. */
  readonly longestWait: number
  /** New ones, the newest first. */
  readonly exchanges: readonly ExchangeRow[]
  /** New ones that are left out, for they are too many. */
  readonly skipped: number
  readonly models?: readonly ModelRow[]
  readonly advice?: readonly Advice[]
}

/** Every fact of one exchange, for the view of its details. */
export interface ExchangeDetail {
  readonly row: ExchangeRow
  /** The exchange log's line. */
  readonly log: Readonly<Record<string, unknown>>
  readonly figures: readonly FigureDetail[]
  /** All instants that are kept, ms after `received`. */
  readonly instants: readonly number[]
  readonly stride: number
  /** Inter-chunk times: upper bounds in seconds, and how many samples each has; one count more than bounds. */
  readonly gaps: { readonly bounds: readonly number[]; readonly counts: readonly number[]; readonly count: number }
  readonly pausedMs: number
}

export interface FigureDetail {
  readonly name: string
  readonly value: number | null
  readonly reason: string | null
  /** The formula as it holds here, and with the numbers put in. */
  readonly expression: string | null
  readonly numbers: string | null
}
