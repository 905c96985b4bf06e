import type { ProxyErrorCode } from './proxy-errors.ts'
import type { UploadListener } from './upload.ts'

/** ms; 0: none. */
export interface Limits {
  /** In force in the gateway's agent; here for messages. */
  readonly connect: number
  readonly firstByte: number
  readonly idle: number
  readonly total: number
  readonly clientStall: number
}

export type LimitCode =
  | Extract<ProxyErrorCode, 'first_byte_timeout' | 'idle_timeout' | 'total_timeout'>
  | 'client_stall'

/** The time limits of one exchange, each named by what it waits for. At most one is told, once. */
export class TimeLimits implements UploadListener {
  readonly #limits: Limits
  readonly #onLimit: (code: LimitCode, limit: string) => void
  #firstByte: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined
  #total: NodeJS.Timeout | undefined
  #stall: NodeJS.Timeout | undefined
  #uploading = false
  #sent = false
  #over = false

  /** @param onLimit told the limit's value too, as text */
  constructor(limits: Limits, onLimit: (code: LimitCode, limit: string) => void) {
    this.#limits = limits
    this.#onLimit = onLimit
  }

  dispatched(): void {
    if (this.#limits.total > 0) this.#total ??= this.#timer(this.#limits.total, 'total_timeout')
  }

  /** The request's body comes piece by piece: until it is whole, nobody waits for an answer. */
  uploading(): void {
    this.#uploading = true
  }

  /** The request is on its way: from now on the gateway is waited for. */
  sent(): void {
    this.#sent = true
    if (this.#uploading) return
    if (this.#limits.firstByte > 0) this.#firstByte ??= this.#timer(this.#limits.firstByte, 'first_byte_timeout')
    this.#startIdle()
  }

  uploadHeld(): void {
    // Before there is a connection, it is `connect` that waits.
    if (this.#uploading && this.#sent) this.#startIdle()
  }

  uploadWanted(): void {
    if (this.#uploading) this.#stopIdle()
  }

  uploaded(): void {
    if (!this.#uploading) return
    this.#uploading = false
    if (this.#sent) this.sent()
  }

  /** An interim head (1xx): a sign of life, and not yet a byte of the answer. */
  alive(): void {
    this.#idle?.refresh()
  }

  /** HOT PATH: runs once per chunk. */
  active(): void {
    if (this.#firstByte !== undefined) {
      clearTimeout(this.#firstByte)
      this.#firstByte = undefined
    }
    if (this.#uploading) {
      // It answers before the request is whole.
      this.#uploading = false
      this.#startIdle()
    }
    this.#idle?.refresh()
  }

  /** The client does not read: the gateway's silence is not its own. */
  paused(): void {
    this.#stopIdle()
    if (this.#limits.clientStall > 0) this.#stall ??= this.#timer(this.#limits.clientStall, 'client_stall')
  }

  resumed(): void {
    clearTimeout(this.#stall)
    this.#stall = undefined
    this.#startIdle()
  }

  stop(): void {
    this.#over = true
    clearTimeout(this.#firstByte)
    clearTimeout(this.#idle)
    clearTimeout(this.#total)
    clearTimeout(this.#stall)
  }

  #startIdle(): void {
    if (!this.#over && this.#limits.idle > 0) this.#idle ??= this.#timer(this.#limits.idle, 'idle_timeout')
  }

  #stopIdle(): void {
    clearTimeout(this.#idle)
    this.#idle = undefined
  }

  #timer(ms: number, code: LimitCode): NodeJS.Timeout {
    const timer = setTimeout(() => {
      if (this.#over) return
      this.#over = true
      this.#onLimit(code, limitText(ms))
    }, ms)
    // A running exchange is held open by its sockets, not by its limits.
    timer.unref()
    return timer
  }
}

/** A limit as it stands in the configuration: `30m`, `10s`, `250ms`. */
export function limitText(ms: number): string {
  if (ms % 60_000 === 0) return `${ms / 60_000}m`
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`
}
