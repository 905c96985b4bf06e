import type { Gateway } from '../gateway/gateway.ts'
import type { Bounds } from '../measurement/histogram.ts'
import type { Recorder } from '../measurement/recorder.ts'
import type { TokenCounts } from '../measurement/usage.ts'
import type { TurnClock } from '../stream/turn-clock.ts'
import type { HostCheck, KeyCheck } from './client-check.ts'
import type { CredentialRules } from './credentials.ts'
import type { RunningExchanges } from './running-exchanges.ts'
import type { Limits } from './time-limits.ts'

/** A gateway with all that its configuration says. */
export interface GatewayRoom {
  readonly gateway: Gateway
  readonly credentials: CredentialRules
  readonly limits: Limits
  /** USD by the price table; `undefined`: the model has no price. */
  price(model: string, tokens: TokenCounts): number | undefined
}

/** What every exchange of one proxy shares. */
export interface ProxyContext {
  /** The first is the default. */
  readonly gateways: ReadonlyMap<string, GatewayRoom>
  readonly recorder: Recorder
  readonly turns: TurnClock
  /** ms since the epoch. */
  readonly wallClock: () => number
  readonly gapBounds: Bounds
  readonly maxBodyBytes: number
  readonly maxStreams: number
  readonly hostAllowed: HostCheck
  readonly keyAllowed: KeyCheck
  readonly running: RunningExchanges
  readonly isDraining: () => boolean
  /** The drain has gone so far that a request which comes now is too late. */
  readonly refusesRequests: () => boolean
  /** Longest time for which a client may neither read nor send, ms; 0: none. */
  readonly clientStallMs: number
  /** An observer threw: its exchange goes on. */
  readonly onBroken: (error: unknown) => void
  /** Something of ours threw: its exchange has ended. */
  readonly onCrash: (error: unknown) => void
}
