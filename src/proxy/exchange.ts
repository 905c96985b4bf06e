import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ExchangeIdentity } from '../measurement/stream-measurement.ts'
import { StreamAccumulator } from '../stream/stream-accumulator.ts'
import type { EndCause } from '../stream/stream-observer.ts'
import { decideCredentials, secretsOf } from './credentials.ts'
import { watchDeparture } from './departure.ts'
import { identityOf, type RequestLabels } from './exchange-identity.ts'
import { Forward } from './forward.ts'
import { requestHeaders } from './forwarded-headers.ts'
import type { GatewayRoom, ProxyContext } from './proxy-context.ts'
import { type ProxyErrorCode, proxyError, sendError } from './proxy-errors.ts'
import { withoutSecrets } from './redaction.ts'
import { discardRest } from './request-body.ts'
import type { KnownRoute } from './route.ts'
import type { Running } from './running-exchanges.ts'
import { limitText } from './time-limits.ts'
import { Upload } from './upload.ts'

/** One request and its answer, from the head's arrival to the record. Every request becomes exactly one measurement. */
export class Exchange implements Running {
  readonly request: IncomingMessage
  readonly received: number
  readonly #context: ProxyContext
  readonly #startedAt: number
  #response!: ServerResponse
  #route: KnownRoute | undefined
  #gateway: GatewayRoom | undefined
  #bodyReceived: number | undefined
  #forward: Forward | undefined
  /** Recorded, or handed to the forward, which records it. */
  #settled = false
  #delivery: NodeJS.Timeout | undefined

  constructor(context: ProxyContext, request: IncomingMessage) {
    this.#context = context
    this.request = request
    this.received = context.turns.now()
    this.#startedAt = context.wallClock()
  }

  get socket(): Socket {
    return this.request.socket
  }

  get uploading(): boolean {
    return !this.request.complete
  }

  /** From here on it runs, until the client has the last byte or is gone. */
  take(
    response: ServerResponse,
    route: KnownRoute | undefined,
    gateway: GatewayRoom | undefined,
    as: 'carried' | 'refused',
  ) {
    this.#response = response
    this.#route = route
    this.#gateway = gateway
    this.#context.running.add(this, as)
    watchDeparture(this.request, response, {
      left: () => this.#forward?.clientLeft(),
      gone: () => {
        clearTimeout(this.#delivery)
        this.#context.running.remove(this)
        this.#forward?.clientLeft()
      },
    })
  }

  bodyReceived(): void {
    this.#bodyReceived = this.#context.turns.now()
  }

  /** Sends it to its gateway. `body`: whole for a generation, else a stream, or `null` where there is none. */
  forward(route: KnownRoute, gateway: GatewayRoom, labels: RequestLabels, body: Buffer | Upload | null): void {
    if (this.#settled) return
    const context = this.#context
    const accumulator = this.#accumulator(this.#identity(labels))
    const { rawHeaders } = this.request
    const credentials = decideCredentials(rawHeaders, route.query, gateway.credentials, route.operation)
    const forward = new Forward({
      gateway: gateway.gateway,
      request: {
        method: this.request.method as string,
        path: gateway.gateway.target.path(route.path, credentials.query),
        headers: requestHeaders(rawHeaders, gateway.credentials.set, credentials, lengthOf(this.request, body)),
        body,
      },
      upload: body instanceof Upload ? body : undefined,
      response: this.#response,
      accumulator,
      turns: context.turns,
      limits: gateway.limits,
      isDraining: context.isDraining,
      onBroken: (error) => {
        accumulator.breakOff()
        context.onBroken(error)
      },
      onCrash: context.onCrash,
      onOver: () => this.#delivering(),
    })
    this.#forward = forward
    this.#settled = true
    if (route.operation !== undefined) context.recorder.started(accumulator)
    if (this.#response.closed || this.socket.destroyed) forward.clientLeft()
    else forward.start()
  }

  /** Answers it here, with an error. `cause`: where it is not the proxy that refuses. */
  reject(code: ProxyErrorCode, cause: EndCause = { kind: 'rejected', error: code }): void {
    if (this.#settled) return
    this.#settled = true
    const problem = proxyError(code)
    const accumulator = this.#accumulator(this.#identity(undefined))
    accumulator.ownStatus = problem.status
    // After a head that could be read in two ways nobody knows where the next request begins.
    if (this.#context.isDraining() || code === 'bad_request') this.#response.shouldKeepAlive = false
    sendError(this.#response, problem)
    discardRest(this.request)
    this.#delivering()
    accumulator.end(cause, this.#context.turns.now())
  }

  /** The client left before its request was whole. */
  abandoned(): void {
    if (this.#settled) return
    this.#settled = true
    const cause: EndCause = { kind: 'client', error: 'left_before_body' }
    this.#accumulator(this.#identity(undefined)).end(cause, this.#context.turns.now())
  }

  /** The client stopped sending the body of its request. */
  uploadStalled(): void {
    const cause: EndCause = {
      kind: 'client',
      error: `upload_stall (${limitText(this.#context.clientStallMs)})`,
    }
    if (this.#forward === undefined) this.reject('upload_stall', cause)
    else this.#forward.refuse('upload_stall', cause)
  }

  /** What the client sent of its body is no HTTP. Nothing more can be read from its connection. */
  malformed(): void {
    this.#response.shouldKeepAlive = false
    if (this.#forward === undefined) this.reject('bad_request')
    else this.#forward.refuse('bad_request', { kind: 'rejected', error: 'bad_request' })
  }

  shutDown(): void {
    if (this.#forward === undefined) this.reject('draining', { kind: 'shutdown' })
    else this.#forward.refuse('draining', { kind: 'shutdown' })
  }

  /** Something of ours threw: this exchange ends, and no other. */
  crashed(): void {
    if (this.#forward !== undefined) this.#forward.crashed()
    else if (this.#settled) this.#response.destroy()
    else this.reject('internal')
  }

  /** What is written waits for the client to read it, but not for ever. */
  #delivering(): void {
    const limit = this.#context.clientStallMs
    if (limit === 0 || this.#delivery !== undefined) return
    this.#delivery = setInterval(() => {
      // An answer that waits behind another one (pipelining) is not held up by its client.
      if (this.#response.socket !== null) this.socket.resetAndDestroy()
    }, limit)
    this.#delivery.unref()
  }

  #accumulator(identity: ExchangeIdentity): StreamAccumulator {
    const { recorder, gapBounds } = this.#context
    const gateway = this.#gateway
    const accumulator = new StreamAccumulator({
      identity,
      received: this.received,
      gapBounds,
      price: gateway === undefined ? undefined : (tokens) => gateway.price(identity.model, tokens),
      onFirstToken: (exchange) => recorder.firstToken(exchange),
      onFinished: (measurement, exchange) => recorder.ended(withoutSecrets(measurement, this.#secrets()), exchange),
    })
    accumulator.marks.bodyReceived = this.#bodyReceived
    return accumulator
  }

  #secrets(): string[] {
    return secretsOf(this.request.rawHeaders, this.#route?.query, this.#gateway?.credentials)
  }

  #identity(labels: RequestLabels | undefined): ExchangeIdentity {
    return identityOf(this.request, this.#startedAt, this.#route, this.#gateway?.gateway.name ?? '', labels)
  }
}

function lengthOf(request: IncomingMessage, body: Buffer | Upload | null): number | undefined {
  // Of bytes at hand undici writes the length itself.
  if (body === null || Buffer.isBuffer(body)) return undefined
  const declared = request.headers['content-length']
  return declared === undefined ? undefined : Number(declared)
}
