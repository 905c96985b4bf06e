import type { ProxyErrorCode } from './proxy-errors.ts'

/** ms; 0: none. */
export interface Limits {
  readonly firstByte: number
  readonly idle: number
  readonly total: number
  readonly clientStall: number
}

export type LimitCode =
  | Extract<ProxyErrorCode, 'first_byte_timeout' | 'idle_timeout' | 'total_timeout'>
  | 'client_stall'

/** The time limits of one exchange, each named by what it waits for. At most one is told, once. */
export class TimeLimits {
  readonly #limits: Limits
  readonly #onLimit: (code: LimitCode) => void
  #firstByte: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined
  #total: NodeJS.Timeout | undefined
  #stall: NodeJS.Timeout | undefined
  #over = false

  constructor(limits: Limits, onLimit: (code: LimitCode) => void) {
    this.#limits = limits
    this.#onLimit = onLimit
  }

  dispatched(): void {
    if (this.#limits.total > 0) this.#total ??= this.#timer(this.#limits.total, 'total_timeout')
  }

  /** The request is on its way: from now on the gateway is waited for. */
  sent(): void {
    if (this.#limits.firstByte > 0) this.#firstByte ??= this.#timer(this.#limits.firstByte, 'first_byte_timeout')
    if (this.#limits.idle > 0) this.#idle ??= this.#timer(this.#limits.idle, 'idle_timeout')
  }

  /** HOT PATH: runs once per chunk. */
  active(): void {
    if (this.#firstByte !== undefined) {
      clearTimeout(this.#firstByte)
      this.#firstByte = undefined
    }
    this.#idle?.refresh()
  }

  /** The client does not read: the gateway's silence is not its own. */
  paused(): void {
    if (this.#idle !== undefined) {
      clearTimeout(this.#idle)
      this.#idle = undefined
    }
    if (this.#limits.clientStall > 0) this.#stall = this.#timer(this.#limits.clientStall, 'client_stall')
  }

  resumed(): void {
    clearTimeout(this.#stall)
    this.#stall = undefined
    if (!this.#over && this.#limits.idle > 0) this.#idle = this.#timer(this.#limits.idle, 'idle_timeout')
  }

  stop(): void {
    this.#over = true
    clearTimeout(this.#firstByte)
    clearTimeout(this.#idle)
    clearTimeout(this.#total)
    clearTimeout(this.#stall)
  }

  #timer(ms: number, code: LimitCode): NodeJS.Timeout {
    const timer = setTimeout(() => {
      if (this.#over) return
      this.#over = true
      this.#onLimit(code)
    }, ms)
    // A running exchange is held open by its sockets, not by its limits.
    timer.unref()
    return timer
  }
}
