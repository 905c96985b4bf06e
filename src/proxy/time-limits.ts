import type { ProxyErrorCode } from './proxy-errors.ts'

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
export class TimeLimits {
  readonly #limits: Limits
  readonly #onLimit: (code: LimitCode, limit: string) => void
  #firstByte: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined
  #total: NodeJS.Timeout | undefined
  #stall: NodeJS.Timeout | undefined
  #over = false

  /** @param onLimit told the limit's value too, as text */
  constructor(limits: Limits, onLimit: (code: LimitCode, limit: string) => void) {
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
    this.#idle?.refresh()
  }

  /** The client does not read: the gateway's silence is not its own. */
  paused(): void {
    if (this.#idle !== undefined) {
      clearTimeout(this.#idle)
      this.#idle = undefined
    }
    if (this.#limits.clientStall > 0) this.#stall ??= this.#timer(this.#limits.clientStall, 'client_stall')
  }

  resumed(): void {
    clearTimeout(this.#stall)
    this.#stall = undefined
    if (!this.#over && this.#limits.idle > 0) this.#idle ??= this.#timer(this.#limits.idle, 'idle_timeout')
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
