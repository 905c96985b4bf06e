import type { ExchangeResult } from './exchange-result.ts'
import type { Finding } from './preflight.ts'

/** The plan as it may be shown: no key, no header values, no queries. */
export interface ShownPlan {
  readonly targets: readonly {
    readonly name: string
    readonly baseUrl: string
    readonly models: readonly string[]
    readonly operation: string
    readonly headers: readonly string[]
    readonly cacheHint: string
  }[]
  readonly prompts: readonly string[]
  readonly maxTokens: number
  readonly temperature: number | 'none'
  readonly runs: number
  readonly promptMode: string
  readonly concurrency: readonly number[]
  readonly rate: { readonly perSecond: readonly number[]; readonly arrivals: string; readonly requests: number }
  readonly seed: number
}

export interface Environment {
  readonly node: string
  readonly platform: string
  readonly cpu: string
  readonly cores: number
}

/** What the bench's own process did meanwhile. */
export interface SelfCheck {
  /** Processor seconds a second: 1 is a whole core. */
  readonly cores: number
  readonly longestStallMs: number
  /** Share of the time for which the event loop was held. */
  readonly heldShare: number
  readonly spoilt: number
  /** Requests that only kept a load up, and were then left. */
  readonly fillers: number
  /** Largest lateness of an open loop's request, ms. */
  readonly longestLagMs: number | null
}

/** All that came of a run: the JSON output. A change of a field's meaning changes `format`. */
export interface BenchRun {
  readonly format: 1
  readonly program: 'streamgauge bench'
  readonly version: string
  readonly definitions: string
  readonly startedAt: string
  readonly endedAt: string
  /** It was stopped before its end. */
  readonly interrupted: boolean
  readonly environment: Environment
  readonly plan: ShownPlan
  readonly preflight: readonly Finding[]
  readonly selfCheck: SelfCheck
  readonly givenUp: readonly { readonly target: string; readonly model: string; readonly perSecond: number }[]
  readonly exchanges: readonly ExchangeResult[]
}
