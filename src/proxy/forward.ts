import type { ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'
import { closedBeforeReading, failureOf } from '../gateway/failure.ts'
import type { Gateway, GatewayRequest } from '../gateway/gateway.ts'
import { requestStarts } from '../gateway/socket-reuse.ts'
import type { StreamAccumulator } from '../stream/stream-accumulator.ts'
import type { EndCause } from '../stream/stream-observer.ts'
import type { TurnClock } from '../stream/turn-clock.ts'
import { cutOff, writeAnswerHead } from './answer-writing.ts'
import { type ProxyErrorCode, proxyError, sendError } from './proxy-errors.ts'
import { type LimitCode, type Limits, TimeLimits } from './time-limits.ts'

type Controller = Dispatcher.DispatchController

/** A connection that the gateway closed says so within this long; later it may have read the request. */
const resendWithinMs = 1000

export interface ForwardOptions {
  readonly gateway: Gateway
  readonly request: GatewayRequest
  readonly response: ServerResponse
  readonly accumulator: StreamAccumulator
  readonly turns: TurnClock
  readonly limits: Limits
  readonly onBroken: (error: unknown) => void
  /** The client has the last byte, or is gone. Called once. */
  readonly onDone: () => void
}

/** Why we ended a request to the gateway ourselves; never shown to anybody. */
class Stopped extends Error {}

/**
 * One exchange on its way: from the dispatch handler straight to the client's response, with back-pressure. The accumulator is told how it
 * ended exactly once, whoever ended it.
 */
export class Forward implements Dispatcher.DispatchHandler {
  readonly #o: ForwardOptions
  readonly #limits: TimeLimits
  #controller: Controller | undefined
  #reused = false
  #sentAt = 0
  #answering = false
  #over = false
  readonly #onDrain = (): void => {
    this.#limits.resumed()
    this.#o.accumulator.resumed(this.#o.turns.now())
    this.#controller?.resume()
  }
  readonly #onClosed = (): void => {
    this.#o.response.off('close', this.#onClosed)
    this.#o.response.req.socket.off('close', this.#onClosed)
    this.clientLeft()
    this.#o.onDone()
  }

  constructor(options: ForwardOptions) {
    this.#o = options
    this.#limits = new TimeLimits(options.limits, (code) => this.#limitReached(code))
  }

  start(): void {
    const { accumulator, response, turns } = this.#o
    response.on('error', ignore)
    response.on('close', this.#onClosed)
    // A response that waits behind another one (pipelining) is never told of its connection's end.
    response.req.socket.on('close', this.#onClosed)
    if (response.closed || response.req.socket.destroyed) {
      this.#onClosed()
      return
    }
    accumulator.marks.dispatched = turns.now()
    this.#limits.dispatched()
    this.#dispatch()
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#over) {
      controller.abort(new Stopped('the exchange is over'))
      return
    }
    this.#sentAt = this.#o.turns.now()
    requestStarts(this)
    this.#limits.sent()
  }

  onReused(reused: boolean): void {
    this.#reused = reused
  }

  onResponseStart(controller: Controller, status: number, _headers: unknown, statusMessage?: string): void {
    this.#limits.active()
    // Interim answers (100, 103) are hop by hop as far as HTTP/1.1 clients of such APIs go.
    if (status < 200 || this.#over) return
    this.#answering = true
    if (!writeAnswerHead(this.#o.response, status, statusMessage, controller.rawHeaders)) {
      this.#fail('bad_answer_header', { kind: 'gateway', error: 'bad_answer_header' })
    }
  }

  /** HOT PATH: runs once per chunk. */
  onResponseData(controller: Controller, bytes: Buffer): void {
    if (this.#over) return
    this.#limits.active()
    if (this.#o.response.write(bytes)) return
    controller.pause()
    this.#limits.paused()
    this.#o.accumulator.paused(this.#o.turns.now())
    this.#o.response.once('drain', this.#onDrain)
  }

  onResponseEnd(): void {
    if (this.#over) return
    this.#finish()
    this.#o.response.end()
  }

  onResponseError(_controller: Controller | undefined, error: Error): void {
    if (this.#over) return
    const { req } = this.#o.response
    if (req.destroyed && !req.complete) {
      // The upload broke off on the client's side; the error that reached us is its echo.
      this.clientLeft()
      return
    }
    if (this.#mayResend(error)) {
      this.#o.accumulator.resends++
      this.#dispatch()
      return
    }
    const { label: found, tlsCode } = failureOf(error)
    // An answer that is cut is `reset`, whether by FIN, by RST or because the peer is gone: wire.md, section 8.
    const label = this.#answering && (found === 'closed' || found === 'connect_timeout') ? 'reset' : found
    const cause: EndCause =
      label === 'connect_timeout' ? { kind: 'timeout', error: label } : { kind: 'gateway', error: label }
    this.#fail(label, cause, tlsCode)
  }

  /** The proxy stops: what still runs is cut, visibly. */
  shutDown(): void {
    this.#fail('draining', { kind: 'shutdown' })
  }

  /** Something of ours threw. */
  crashed(): void {
    this.#fail('internal', { kind: 'rejected', error: 'internal' })
  }

  /** The client's connection is gone. Nothing happens where the answer had been passed on whole. */
  clientLeft(): void {
    if (this.#over) return
    this.#finish()
    this.#end({ kind: 'client', error: this.#answering ? 'left_mid_answer' : 'left_before_headers' })
    this.#controller?.abort(new Stopped('the client left'))
  }

  #dispatch(): void {
    const { gateway, request, accumulator, onBroken } = this.#o
    this.#reused = false
    gateway.dispatch(request, this, accumulator, onBroken)
  }

  /**
   * Once, where the request met a kept-alive connection that the gateway had just closed: nothing of an answer came, and what was sent is at
   * hand whole.
   */
  #mayResend(error: Error): boolean {
    const { accumulator, request, response, turns } = this.#o
    const replayable = request.body === null || Buffer.isBuffer(request.body)
    return (
      this.#reused &&
      !this.#answering &&
      replayable &&
      accumulator.resends === 0 &&
      !response.destroyed &&
      closedBeforeReading(error) &&
      turns.now() - this.#sentAt <= resendWithinMs
    )
  }

  #limitReached(code: LimitCode): void {
    if (code === 'client_stall') {
      this.#finish()
      this.#end({ kind: 'client', error: code })
      this.#controller?.abort(new Stopped(code))
      this.#o.response.destroy()
    } else this.#fail(code, { kind: 'timeout', error: code })
  }

  /** Ends an exchange that did not end well: an error where nothing was answered yet, else a visible cut. */
  #fail(code: ProxyErrorCode, cause: EndCause, detail?: string): void {
    if (this.#over) return
    this.#finish()
    const { accumulator, response } = this.#o
    if (response.headersSent) cutOff(response)
    else {
      const problem = proxyError(code, detail)
      accumulator.ownStatus = problem.status
      sendError(response, problem)
    }
    this.#end(cause)
    this.#controller?.abort(new Stopped(code))
  }

  #finish(): void {
    this.#over = true
    this.#limits.stop()
    this.#o.response.off('drain', this.#onDrain)
  }

  #end(cause: EndCause): void {
    this.#o.accumulator.end(cause, this.#o.turns.now())
  }
}

function ignore(): void {}
