import type { ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import { constants, createGzip, type Gzip } from 'node:zlib'
import type { Schedule } from './schedule.ts'
import type { Action } from './score.ts'
import { type ExchangeTruth, noteOutput } from './truth.ts'

export interface PlayerOptions {
  readonly response: ServerResponse
  readonly schedule: Schedule
  /** The instant from which the actions count, on `performance.now()`. */
  readonly zero: number
  readonly truth: ExchangeTruth
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly gzip: boolean
  /** The body for the action `whole`. */
  readonly whole: () => string
  /** Called once, when nothing more will be written. */
  readonly onDone: () => void
}

/** Performs actions on a response, each at its instant, and notes what it did and when. */
export class Player {
  readonly #options: PlayerOptions
  readonly #actions: Iterator<Action>
  #gzip: Gzip | undefined
  #cancel: (() => void) | undefined
  #done = false

  constructor(actions: Iterator<Action>, options: PlayerOptions) {
    this.#actions = actions
    this.#options = options
    options.response.once('close', () => {
      const { truth } = options
      if (truth.state === 'running') {
        truth.state = 'client_left'
        truth.marks.clientLeft = this.#now()
      }
      this.#finish()
    })
    this.#next()
  }

  #now(): number {
    return Math.round((performance.now() - this.#options.zero) * 1000) / 1000
  }

  readonly #next = (): void => {
    if (this.#done) return
    const { done, value } = this.#actions.next()
    if (done) return
    this.#cancel = this.#options.schedule.at(this.#options.zero + value.at, () => this.#perform(value))
  }

  #perform(action: Action): void {
    if (this.#done) return
    switch (action.kind) {
      case 'headers':
        this.#sendHeaders(this.#options.headers)
        this.#options.response.flushHeaders()
        this.#next()
        break
      case 'comment':
        this.#options.truth.written.comments++
        this.#write(action.text)
        break
      case 'write': {
        const at = this.#now()
        const { pieces } = action
        const note = (): void => noteOutput(this.#options.truth, pieces, this.#gzip === undefined ? at : this.#now())
        this.#write(action.text, pieces.length === 0 ? undefined : note)
        break
      }
      case 'whole':
        this.#sendWhole()
        break
      case 'end':
        this.#end()
        break
      default:
        this.#fail(action.kind)
    }
  }

  #sendHeaders(headers: Readonly<Record<string, string>>): void {
    const { response, status, truth, gzip } = this.#options
    if (response.headersSent) return
    truth.status = status
    truth.marks.headers = this.#now()
    response.writeHead(status, gzip ? { ...headers, 'content-encoding': 'gzip' } : headers)
    if (!gzip) return
    this.#gzip = createGzip()
    this.#gzip.on('data', (bytes: Buffer) => this.#writeBytes(bytes))
  }

  /** A client that does not read holds the answer, as it would hold a real server. */
  #write(text: string, note?: () => void): void {
    const { response } = this.#options
    const proceed = (): void => {
      note?.()
      if (response.writableNeedDrain) response.once('drain', this.#next)
      else this.#next()
    }
    if (this.#gzip === undefined) {
      this.#writeBytes(Buffer.from(text))
      proceed()
      return
    }
    this.#gzip.write(text)
    this.#gzip.flush(constants.Z_SYNC_FLUSH, proceed)
  }

  #writeBytes(bytes: Buffer): void {
    if (bytes.length === 0 || this.#options.response.destroyed) return
    this.#options.truth.marks.firstByte ??= this.#now()
    this.#options.truth.written.bytes += bytes.length
    this.#options.response.write(bytes)
  }

  #sendWhole(): void {
    const body = Buffer.from(this.#options.whole())
    this.#sendHeaders({
      ...this.#options.headers,
      ...(this.#options.gzip ? {} : { 'content-length': String(body.length) }),
    })
    if (this.#gzip === undefined) this.#writeBytes(body)
    else this.#gzip.write(body)
    this.#end()
  }

  #end(): void {
    const { response, truth } = this.#options
    const end = (): void => {
      truth.marks.ended = this.#now()
      truth.state = truth.injected.includes('error') || truth.status >= 400 ? 'failed' : 'completed'
      response.end()
    }
    if (this.#gzip === undefined) end()
    else this.#gzip.once('end', end).end()
  }

  #fail(kind: 'reset' | 'truncate' | 'hang'): void {
    const { response, truth } = this.#options
    if (kind === 'hang') return
    truth.state = 'failed'
    truth.marks.ended = this.#now()
    if (kind === 'reset') response.socket?.resetAndDestroy()
    else response.socket?.destroySoon()
  }

  #finish(): void {
    if (this.#done) return
    this.#done = true
    this.#cancel?.()
    this.#gzip?.destroy()
    this.#options.onDone()
  }
}
