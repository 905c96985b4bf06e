import { performance } from 'node:perf_hooks'

interface Task {
  readonly due: number
  readonly run: () => void
  cancelled: boolean
}

/**
 * With more tasks than this waiting, a task may be a millisecond late: the turns of the loop that bridge the last part of a
 * millisecond would fill a core, and take it from whoever measures.
 */
const exactTasks = 8

/**
 * Runs tasks at absolute instants of `performance.now()`, never early. A lateness of one task does not shift the next:
 * every stream keeps its own timeline however the timers of the platform round. One timer serves all streams.
 */
export class Schedule {
  /** Latest first, so that the next one is popped off the end. */
  readonly #tasks: Task[] = []
  #timer: NodeJS.Timeout | undefined
  #immediate: NodeJS.Immediate | undefined

  /** Runs `run` once, at `due` or as soon after as the event loop allows. Returns a function that calls it off. */
  at(due: number, run: () => void): () => void {
    const task: Task = { due, run, cancelled: false }
    let low = 0
    let high = this.#tasks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#tasks[middle] as Task).due > due) low = middle + 1
      else high = middle
    }
    this.#tasks.splice(low, 0, task)
    if (low === this.#tasks.length - 1) this.#arm()
    return () => {
      task.cancelled = true
    }
  }

  close(): void {
    this.#tasks.length = 0
    this.#disarm()
  }

  #disarm(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#immediate)
    this.#timer = undefined
    this.#immediate = undefined
  }

  #arm(): void {
    this.#disarm()
    const next = this.#tasks.at(-1)
    if (next === undefined) return
    const wait = next.due - performance.now()
    const exact = this.#tasks.length <= exactTasks
    // Timers count whole milliseconds and may come up to one early or late; the rest is spent in turns of the loop.
    if (wait <= 0 || (exact && wait < 1.5)) this.#immediate = setImmediate(this.#run)
    else this.#timer = setTimeout(this.#run, Math.max(1, exact ? Math.floor(wait - 0.5) : Math.ceil(wait)))
  }

  /** A task added while this runs waits for the next turn, so that two writes of one stream never share a turn. */
  readonly #run = (): void => {
    const now = performance.now()
    const due: Task[] = []
    while (this.#tasks.length > 0 && (this.#tasks.at(-1) as Task).due <= now) due.push(this.#tasks.pop() as Task)
    for (const task of due) if (!task.cancelled) task.run()
    this.#arm()
  }
}
