import type { Dispatcher } from 'undici'
import type { StreamObserver } from './stream-observer.ts'
import type { TurnClock } from './turn-clock.ts'

type Controller = Dispatcher.DispatchController
type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2]

/**
 * The instrument: wraps the handler that does the work. It stamps, forwards, then looks; it never touches the bytes.
 *
 * `onBroken` is told once if the observer throws; it is told nothing more then but the end, and the stream goes on.
 */
export class StreamTap implements Dispatcher.DispatchHandler {
  readonly #work: Dispatcher.DispatchHandler
  readonly #turns: TurnClock
  readonly #onBroken: (error: unknown) => void
  readonly #observer: StreamObserver
  #muted = false

  constructor(
    work: Dispatcher.DispatchHandler,
    observer: StreamObserver,
    turns: TurnClock,
    onBroken: (error: unknown) => void,
  ) {
    this.#work = work
    this.#observer = observer
    this.#turns = turns
    this.#onBroken = onBroken
  }

  onRequestStart(controller: Controller, context: unknown): void {
    const at = this.#turns.now()
    this.#work.onRequestStart?.(controller, context)
    if (this.#muted) return
    try {
      this.#observer.sent(at)
    } catch (error) {
      this.#mute(error)
    }
  }

  onRequestUpgrade(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestUpgrade']>>): void {
    this.#work.onRequestUpgrade?.(...args)
  }

  onResponseStart(controller: Controller, status: number, headers: Headers, statusMessage?: string): void {
    const at = this.#turns.mark()
    this.#work.onResponseStart?.(controller, status, headers, statusMessage)
    // 1xx: an interim head, the answer is still to come.
    if (status < 200 || this.#muted) return
    try {
      this.#observer.head({ status, headers }, at)
    } catch (error) {
      this.#mute(error)
    }
  }

  /** HOT PATH: runs once per chunk. */
  onResponseData(controller: Controller, bytes: Buffer): void {
    const turns = this.#turns
    const at = turns.mark()
    const observer = this.#observer
    const awaits = observer.awaitsFirstToken
    const uncertaintyMs = awaits ? turns.now() - at + turns.busyBeforeMs : 0
    this.#work.onResponseData?.(controller, bytes)
    if (this.#muted) return
    try {
      observer.chunk(bytes, at, turns.serial, uncertaintyMs, awaits ? turns.now() : 0)
    } catch (error) {
      this.#mute(error)
    }
  }

  onResponseEnd(controller: Controller, trailers: Headers): void {
    const at = this.#turns.mark()
    this.#work.onResponseEnd?.(controller, trailers)
    try {
      this.#observer.end({ kind: 'complete' }, at)
    } catch (error) {
      this.#mute(error)
    }
  }

  /** What an error means (a resend, an end) is the work's to say: it tells the observer itself. */
  onResponseError(controller: Controller, error: Error): void {
    this.#work.onResponseError?.(controller, error)
  }

  #mute(error: unknown): void {
    if (this.#muted) return
    this.#muted = true
    this.#onBroken(error)
  }
}
