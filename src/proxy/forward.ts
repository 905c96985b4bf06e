import type { Dispatcher } from 'undici'
import { isOurOwn } from '../gateway/failure.ts'
import type { EndCause } from '../stream/stream-observer.ts'
import { endBadly, writeAnswerHead, writeBody } from './answer-writing.ts'
import { ClientPace } from './client-pace.ts'
import { endingOf, mayResend } from './failed-attempt.ts'
import type { ForwardOptions } from './forward-options.ts'
import { GatewaySide } from './gateway-side.ts'
import { type ProxyErrorCode, proxyError } from './proxy-errors.ts'
import { type LimitCode, TimeLimits } from './time-limits.ts'
import { isCodedAnswer } from './transfer-coding.ts'

type Controller = Dispatcher.DispatchController

/**
 * One exchange on its way: from the dispatch handler straight to the client's response, with back-pressure. The accumulator is told how it
 * ended exactly once, whoever ended it. Whatever throws here ends this exchange and no other.
 */
export class Forward implements Dispatcher.DispatchHandler {
  readonly #o: ForwardOptions
  readonly #limits: TimeLimits
  readonly #pace: ClientPace
  readonly #gateway = new GatewaySide()
  /** Serial of the turn in which bytes were last passed on. */
  #lastTurn = -1
  #answering = false
  #over = false

  constructor(options: ForwardOptions) {
    this.#o = options
    this.#limits = new TimeLimits(options.limits, (code, limit) => this.#guard(() => this.#limitReached(code, limit)))
    this.#pace = new ClientPace(options, this.#limits, (act) => this.#guard(act))
    if (options.upload !== undefined) {
      this.#limits.uploading()
      options.upload.listener = this.#limits
    }
  }

  start(): void {
    this.#o.accumulator.marks.dispatched = this.#o.turns.now()
    this.#limits.dispatched()
    this.#dispatch('any')
  }

  onRequestStart(controller: Controller): void {
    this.#gateway.starts(controller, this.#o.turns.idleMs())
    if (this.#over) this.#gateway.abandon('the exchange is over')
    else this.#limits.sent()
  }

  onResponseStart(controller: Controller, status: number, _headers: unknown, statusMessage?: string): void {
    if (this.#over) return
    // Interim answers (100, 103) are hop by hop as far as HTTP/1.1 clients of such APIs go.
    if (status < 200) {
      this.#limits.alive()
      return
    }
    this.#guard(() => {
      this.#limits.active()
      this.#answering = true
      if (this.#o.isDraining()) this.#o.response.shouldKeepAlive = false
      if (isCodedAnswer(controller.rawHeaders)) {
        this.#fail('malformed_answer', { kind: 'gateway', error: 'malformed_answer' })
      } else if (!writeAnswerHead(this.#o.response, status, statusMessage, controller.rawHeaders)) {
        this.#fail('bad_answer_header', { kind: 'gateway', error: 'bad_answer_header' })
      }
    })
  }

  /** HOT PATH: runs once per chunk. */
  onResponseData(controller: Controller, bytes: Buffer): void {
    if (this.#over) return
    try {
      this.#limits.active()
      const { serial } = this.#o.turns
      const isFirst = serial !== this.#lastTurn
      this.#lastTurn = serial
      if (writeBody(this.#o.response, bytes, isFirst)) return
      this.#pace.hold(controller)
    } catch (error) {
      this.#o.onCrash(error)
      this.crashed()
    }
  }

  onResponseEnd(): void {
    if (this.#over) return
    this.#guard(() => {
      this.#finish()
      this.#o.response.end()
    })
  }

  onResponseError(_controller: Controller | undefined, error: Error): void {
    if (this.#over) return
    this.#guard(() => this.#failed(error))
  }

  /** Something of ours threw: this exchange ends. No step may keep the next from being tried. */
  crashed(): void {
    const { response } = this.#o
    this.#over = true
    for (const step of [
      () => this.#finish(),
      () => endBadly(response, proxyError('internal')),
      () => this.#end({ kind: 'rejected', error: 'internal' }),
      () => this.#gateway.abandon('internal'),
    ]) {
      try {
        step()
      } catch {
        response.destroy()
      }
    }
  }

  /** The proxy stops, or what the client sent is no HTTP or stopped coming. A gateway that answers before the request is whole may want no more of it. */
  refuse(code: ProxyErrorCode, cause: EndCause): void {
    if (cause.kind !== 'client' || !this.#answering) this.#guard(() => this.#fail(code, cause))
  }

  /** The client is gone. Nothing happens where the answer had been passed on whole. */
  clientLeft(): void {
    if (this.#over) return
    this.#guard(() => {
      this.#finish()
      this.#end({ kind: 'client', error: this.#answering ? 'left_mid_answer' : 'left_before_headers' })
      this.#gateway.stop('the client left')
      this.#o.response.destroy()
    })
  }

  #dispatch(connection: 'any' | 'fresh'): void {
    const { gateway, request, accumulator, onBroken } = this.#o
    this.#gateway.used = undefined
    gateway.dispatch(request, this, accumulator, onBroken, connection)
  }

  #failed(error: Error): void {
    const { response, request, limits, accumulator, turns } = this.#o
    if (response.req.destroyed && !response.req.complete) {
      // The upload broke off on the client's side; the error that reached us is its echo.
      this.clientLeft()
      return
    }
    const waitedMs = turns.idleMs() - this.#gateway.idleAtSend
    const isFirst = !this.#answering && accumulator.resends === 0 && !response.destroyed
    if (isFirst && mayResend({ error, used: this.#gateway.used, body: request.body, waitedMs })) {
      accumulator.resends++
      this.#dispatch('fresh')
      return
    }
    // A handler of ours threw, and the client made an error of the request of it.
    if (isOurOwn(error)) throw error
    const { code, cause, detail } = endingOf(error, this.#answering, limits)
    this.#fail(code, cause, detail)
  }

  #limitReached(code: LimitCode, limit: string): void {
    const error = `${code} (${limit})`
    if (code !== 'client_stall') {
      this.#fail(code, { kind: 'timeout', error }, limit)
      return
    }
    this.#finish()
    this.#end({ kind: 'client', error })
    this.#gateway.stop(code)
    // A reset frees at once what the client did not read, and no client can take it for an end.
    this.#o.response.req.socket.resetAndDestroy()
  }

  #fail(code: ProxyErrorCode, cause: EndCause, detail?: string): void {
    if (this.#over) return
    this.#finish()
    const { accumulator, response } = this.#o
    const problem = proxyError(code, detail)
    if (!response.headersSent) accumulator.ownStatus = problem.status
    if (cause.kind === 'shutdown') response.shouldKeepAlive = false
    endBadly(response, problem)
    this.#end(cause)
    this.#gateway.stop(code)
  }

  #finish(): void {
    this.#over = true
    this.#limits.stop()
    this.#pace.stop()
    this.#o.onOver()
  }

  #end(cause: EndCause): void {
    this.#o.accumulator.end(cause, this.#o.turns.now())
  }

  #guard(act: () => void): void {
    try {
      act()
    } catch (error) {
      this.#o.onCrash(error)
      this.crashed()
    }
  }
}
