import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { CacheHints, ExchangeIdentity } from '../measurement/stream-measurement.ts'
import { StreamAccumulator } from '../stream/stream-accumulator.ts'
import type { EndCause } from '../stream/stream-observer.ts'
import { Forward } from './forward.ts'
import { type HeaderRules, requestHeaders } from './forwarded-headers.ts'
import type { GatewayRoom, ProxyContext } from './proxy-context.ts'
import { type ProxyErrorCode, proxyError, sendError } from './proxy-errors.ts'
import { discardRest } from './request-body.ts'
import type { Route } from './route.ts'

type KnownRoute = Exclude<Route, { kind: 'bad_path' }>

const noHints: CacheHints = Object.freeze({ cacheControl: 0, promptCacheKey: false })
const longestPath = 256

/** What the body of a generation told. */
export interface RequestLabels {
  readonly model: string
  readonly streamAsked: boolean
  readonly cacheHints: CacheHints
}

/** One request and its answer, from the head's arrival to the record. Every request becomes exactly one measurement. */
export class Exchange {
  readonly request: IncomingMessage
  /** Set by the handler that takes the exchange. */
  response!: ServerResponse
  readonly received: number
  readonly #context: ProxyContext
  readonly #startedAt: number
  #bodyReceived: number | undefined
  #forward: Forward | undefined

  constructor(context: ProxyContext, request: IncomingMessage) {
    this.#context = context
    this.request = request
    this.received = context.turns.now()
    this.#startedAt = context.wallClock()
  }

  bodyReceived(): void {
    this.#bodyReceived = this.#context.turns.now()
  }

  /** Sends it to its gateway. `body`: whole for a generation, else a stream, or `null` where there is none. */
  forward(route: KnownRoute, gateway: GatewayRoom, labels: RequestLabels, body: Buffer | Readable | null): void {
    const context = this.#context
    const accumulator = this.#accumulator(this.#identity(route, gateway.gateway.name, labels), gateway)
    const rules: HeaderRules = gateway.headerRules
    const forward: Forward = new Forward({
      gateway: gateway.gateway,
      request: {
        method: this.request.method as string,
        path: gateway.gateway.target.path(route.path, route.query),
        headers: requestHeaders(this.request.rawHeaders, rules, route.operation, lengthOf(this.request, body)),
        body,
      },
      response: this.response,
      accumulator,
      turns: context.turns,
      limits: gateway.limits,
      onBroken: (error) => {
        accumulator.breakOff()
        context.onBroken(error)
      },
      onDone: () => context.running.remove(forward),
    })
    this.#forward = forward
    context.running.add(forward)
    if (route.operation !== undefined) context.recorder.started(accumulator)
    forward.start()
  }

  /** Answers it here, with an error. */
  reject(code: ProxyErrorCode, route: KnownRoute | undefined, gateway: GatewayRoom | undefined): void {
    const problem = proxyError(code)
    const accumulator = this.#accumulator(this.#identity(route, gateway?.gateway.name ?? '', undefined), gateway)
    accumulator.ownStatus = problem.status
    sendError(this.response, problem)
    discardRest(this.request)
    accumulator.end({ kind: 'rejected', error: code }, this.#context.turns.now())
  }

  /** The client left before its request was whole. */
  abandoned(route: KnownRoute, gateway: GatewayRoom): void {
    const cause: EndCause = { kind: 'client', error: 'left_before_body' }
    const accumulator = this.#accumulator(this.#identity(route, gateway.gateway.name, undefined), gateway)
    accumulator.end(cause, this.#context.turns.now())
  }

  /** Something of ours threw: this exchange ends, and no other. */
  crashed(route: KnownRoute | undefined): void {
    if (this.#forward === undefined) this.reject('internal', route, undefined)
    else this.#forward.crashed()
  }

  #accumulator(identity: ExchangeIdentity, gateway: GatewayRoom | undefined): StreamAccumulator {
    const { recorder, gapBounds } = this.#context
    const accumulator = new StreamAccumulator({
      identity,
      received: this.received,
      gapBounds,
      price: gateway === undefined ? undefined : (tokens) => gateway.price(identity.model, tokens),
      onFirstToken: (exchange) => recorder.firstToken(exchange),
      onFinished: (measurement, exchange) => recorder.ended(measurement, exchange),
    })
    accumulator.marks.bodyReceived = this.#bodyReceived
    return accumulator
  }

  #identity(route: KnownRoute | undefined, gateway: string, labels: RequestLabels | undefined): ExchangeIdentity {
    const operation = route?.operation
    return Object.freeze({
      id: randomUUID(),
      traceId: traceIdOf(this.request.headers['traceparent']),
      startedAt: this.#startedAt,
      gateway,
      operation,
      app: appOf(this.request, route),
      model: labels?.model ?? (operation === undefined ? '' : 'unknown'),
      method: this.request.method ?? '',
      path: (route?.path ?? '').slice(0, longestPath),
      streamAsked: labels?.streamAsked ?? false,
      cacheHints: labels?.cacheHints ?? noHints,
    })
  }
}

export const passthroughLabels: RequestLabels = Object.freeze({ model: '', streamAsked: false, cacheHints: noHints })

function appOf(request: IncomingMessage, route: KnownRoute | undefined): string {
  if (route !== undefined && route.app !== '') return route.app
  const header = request.headers['x-streamgauge-app']
  return typeof header === 'string' ? header : ''
}

function traceIdOf(traceparent: string | string[] | undefined): string | undefined {
  if (typeof traceparent !== 'string') return undefined
  return /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(traceparent)?.[1]
}

function lengthOf(request: IncomingMessage, body: Buffer | Readable | null): number | undefined {
  // Of bytes at hand undici writes the length itself.
  if (body === null || Buffer.isBuffer(body)) return undefined
  const declared = request.headers['content-length']
  return declared === undefined ? undefined : Number(declared)
}
