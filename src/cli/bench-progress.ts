import type { Io } from './io.ts'

const width = 28
const everyMs = 200

/** A bar on a terminal; nothing where a program reads. */
export class Progress {
  readonly #io: Io
  readonly #clock: () => number
  #begin: number | undefined
  #shownAt = Number.NEGATIVE_INFINITY
  #isShown = false

  /** `clock` in ms. */
  constructor(io: Io, clock: () => number) {
    this.#io = io
    this.#clock = clock
  }

  show(done: number, total: number): void {
    if (!this.#io.interactive) return
    const now = this.#clock()
    this.#begin ??= now
    if (now - this.#shownAt < everyMs && done < total) return
    this.#shownAt = now
    this.#isShown = true
    const filled = total === 0 ? width : Math.min(width, Math.round((width * done) / total))
    const left = done === 0 ? '' : `  ${remaining(((now - this.#begin) / done) * Math.max(0, total - done))} left`
    this.#io.err(`\r[${'#'.repeat(filled)}${'-'.repeat(width - filled)}] ${done}/${total}${left}\x1b[K`)
  }

  clear(): void {
    if (this.#isShown) this.#io.err('\r\x1b[K')
    this.#isShown = false
  }
}

function remaining(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}
