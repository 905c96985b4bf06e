import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { discardRest } from './request-body.ts'

/** Who wants to know for whom an upload waits. */
export interface UploadListener {
  /** The gateway takes no more for now. */
  uploadHeld(): void
  /** More of the client is wanted. */
  uploadWanted(): void
  /** The last byte has come. */
  uploaded(): void
}

/**
 * A request's body as a stream of its own. The HTTP client destroys the stream it was given where the gateway answers early; a destroyed
 * request would take the client's connection with it, and the answer.
 */
export class Upload extends Readable {
  listener: UploadListener | undefined
  readonly #request: IncomingMessage
  readonly #stallMs: number
  readonly #onStall: () => void
  #stall: NodeJS.Timeout | undefined
  readonly #onData = (part: Buffer): void => {
    this.#stall?.refresh()
    if (this.push(part)) return
    // A gateway that takes its time is not the client's fault.
    this.#stopWaiting()
    this.#request.pause()
    this.listener?.uploadHeld()
  }

  /** @param stallMs longest time without a byte while more is wanted; 0: none */
  constructor(request: IncomingMessage, stallMs: number, onStall: () => void) {
    super()
    this.#request = request
    this.#stallMs = stallMs
    this.#onStall = onStall
    request.on('data', this.#onData)
    request.on('end', () => {
      this.#stopWaiting()
      this.push(null)
      this.listener?.uploaded()
    })
    request.on('error', (error) => this.destroy(error))
    request.on('close', () => {
      if (!request.complete) this.destroy(new Error('the client left'))
    })
  }

  override _read(): void {
    // What has come whole may still lie in the request's buffer, paused.
    if (this.#request.readableEnded) return
    if (this.#stallMs > 0 && !this.#request.complete) this.#stall ??= setTimeout(this.#onStall, this.#stallMs).unref()
    this.listener?.uploadWanted()
    this.#request.resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#stopWaiting()
    this.#request.off('data', this.#onData)
    discardRest(this.#request)
    done(error)
  }

  #stopWaiting(): void {
    clearTimeout(this.#stall)
    this.#stall = undefined
  }
}
