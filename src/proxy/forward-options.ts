import type { ServerResponse } from 'node:http'
import type { Gateway, GatewayRequest } from '../gateway/gateway.ts'
import type { StreamAccumulator } from '../stream/stream-accumulator.ts'
import type { TurnClock } from '../stream/turn-clock.ts'
import type { Limits } from './time-limits.ts'
import type { Upload } from './upload.ts'

/** What an exchange needs on its way. */
export interface ForwardOptions {
  readonly gateway: Gateway
  readonly request: GatewayRequest
  /** Its body, where that is passed on as it comes. */
  readonly upload: Upload | undefined
  readonly response: ServerResponse
  readonly accumulator: StreamAccumulator
  readonly turns: TurnClock
  readonly limits: Limits
  /** The proxy is about to end: connections are not kept. */
  readonly isDraining: () => boolean
  /** The observer failed: the exchange goes on, unmeasured. */
  readonly onBroken: (error: unknown) => void
  /** Something of ours failed: the exchange has ended. */
  readonly onCrash: (error: unknown) => void
  /** All that will be is written; what is left is the client's reading. Called once. */
  readonly onOver: () => void
}
