import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { BenchPlan, BenchTarget } from '../config/bench-schema.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { gapBuckets } from '../measurement/buckets.ts'
import { costOf } from '../measurement/cost.ts'
import type { StreamMeasurement } from '../measurement/stream-measurement.ts'
import { StreamAccumulator } from '../stream/stream-accumulator.ts'
import type { TurnClock } from '../stream/turn-clock.ts'
import { AnswerSink } from './answer-sink.ts'
import type { Lateness } from './exchange-result.ts'
import type { LoopWatch } from './loop-watch.ts'
import { paths, type Question, requestBody, requestHeaders } from './request-body.ts'

/** What all exchanges of a run share. */
export interface Instruments {
  readonly plan: BenchPlan
  readonly turns: TurnClock
  readonly watch: LoopWatch
  /** Wall clock, ms since the epoch. */
  readonly wallClock: () => number
}

export interface Measured {
  readonly measurement: StreamMeasurement
  readonly late: Lateness
  /** Beginning of the body of a refusal; never shown. */
  readonly refusal: string
}

const bounds = Float64Array.from(gapBuckets)
/** The watch sees a held loop up to so much later, ms. */
const watchLagMs = 8

/**
 * One exchange, through the very same instrument as the proxy's. Never rejects.
 *
 * @param scheduled the instant at which it should begin; `undefined`: now
 */
export async function runExchange(
  instruments: Instruments,
  gateway: Gateway,
  question: Question,
  stop: AbortSignal,
  scheduled?: number,
): Promise<Measured> {
  const { plan, turns, watch } = instruments
  const { target, model } = question
  const body = Buffer.from(JSON.stringify(requestBody(question, plan)))
  const path = paths[target.operation]
  let sink!: AnswerSink
  const leave = (): void => sink.abort()
  const measurement = await new Promise<StreamMeasurement>((resolve) => {
    const accumulator = new StreamAccumulator({
      identity: {
        id: randomUUID(),
        traceId: undefined,
        startedAt: instruments.wallClock(),
        gateway: target.name,
        operation: target.operation,
        app: 'bench',
        model,
        method: 'POST',
        path,
        streamAsked: true,
        cacheHints: hintsOf(question),
      },
      received: scheduled ?? turns.now(),
      gapBounds: bounds,
      price: (tokens) => {
        const price = priceOf(target, model)
        return price && costOf(tokens, price)
      },
      onFinished: resolve,
    })
    const request = {
      method: 'POST',
      path: gateway.target.path(path, undefined),
      headers: requestHeaders(target),
      body,
    }
    sink = new AnswerSink(gateway, request, accumulator, turns, plan.timeouts)
    stop.addEventListener('abort', leave)
    if (stop.aborted) leave()
    else sink.start()
  })
  stop.removeEventListener('abort', leave)
  await delay(watchLagMs)
  const { firstToken, lastToken } = measurement.marks
  const first = Math.max(watch.latenessAt(firstToken), measurement.uncertaintyMs ?? 0)
  return { measurement, late: { first, last: watch.latenessAt(lastToken) }, refusal: sink.refusal }
}

function priceOf(target: BenchTarget, model: string) {
  return Object.hasOwn(target.prices, model) ? target.prices[model] : undefined
}

function hintsOf({ mode, target }: Question) {
  const hint = mode === 'cached' ? target.cacheHint : 'none'
  return { cacheControl: hint === 'cache_control' ? 1 : 0, promptCacheKey: hint === 'prompt_cache_key' }
}
