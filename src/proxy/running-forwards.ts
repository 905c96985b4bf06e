import type { Forward } from './forward.ts'

/** The exchanges that run now: for the limit on their number and for the end. An exchange runs until its client has the last byte. */
export class RunningForwards {
  readonly #running = new Set<Forward>()
  #onIdle: (() => void)[] = []

  get count(): number {
    return this.#running.size
  }

  add(forward: Forward): void {
    this.#running.add(forward)
  }

  remove(forward: Forward): void {
    this.#running.delete(forward)
    if (this.#running.size > 0) return
    for (const tell of this.#onIdle.splice(0)) tell()
  }

  /** Resolves once none runs any more. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#onIdle.push(resolve))
  }

  /** Cuts all that still run. @returns how many */
  cut(): number {
    const running = [...this.#running]
    for (const forward of running) forward.shutDown()
    return running.length
  }
}
