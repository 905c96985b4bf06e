import { randomUUID } from 'node:crypto'
import { StreamAccumulator } from '../stream/stream-accumulator.ts'
import type { ProxyContext } from './proxy-context.ts'

/** Counts a refusal of what never became a request. */
export function recordRefusal(context: ProxyContext, code: string, status: number): void {
  const now = context.turns.now()
  const accumulator = new StreamAccumulator({
    identity: {
      id: randomUUID(),
      traceId: undefined,
      startedAt: context.wallClock(),
      gateway: '',
      operation: undefined,
      app: '',
      model: '',
      method: '',
      path: '',
      streamAsked: false,
      cacheHints: { cacheControl: 0, promptCacheKey: false },
    },
    received: now,
    gapBounds: context.gapBounds,
    onFinished: (measurement, exchange) => context.recorder.ended(measurement, exchange),
  })
  accumulator.ownStatus = status
  accumulator.end({ kind: 'rejected', error: code }, now)
}
