import type { Recorder } from '../measurement/recorder.ts'
import type { StreamMeasurement } from '../measurement/stream-measurement.ts'
import { type Evaluation, evaluationOf } from './evaluation.ts'

export interface RecentExchange {
  /** Counts up from 1; a reader that has seen up to some number asks for what is newer. */
  readonly serial: number
  readonly measurement: StreamMeasurement
  readonly evaluation: Evaluation
}

/** The last exchanges, as many as there is room for. */
export class Recent implements Recorder {
  readonly #ring: (RecentExchange | undefined)[]
  #serial = 0

  constructor(size = 500) {
    this.#ring = new Array<RecentExchange | undefined>(size).fill(undefined)
  }

  started(): void {}

  firstToken(): void {}

  ended(measurement: StreamMeasurement): void {
    const evaluation = evaluationOf(measurement)
    const serial = ++this.#serial
    this.#ring[serial % this.#ring.length] = { serial, measurement, evaluation }
  }

  get size(): number {
    return this.#ring.length
  }

  /** Of the newest; 0 where there is none. */
  get serial(): number {
    return this.#serial
  }

  find(id: string): RecentExchange | undefined {
    return this.#ring.find((entry) => entry?.measurement.identity.id === id)
  }

  /** The newest first; only those with a serial above `after`. */
  list(after = 0): RecentExchange[] {
    const newest: RecentExchange[] = []
    for (let serial = this.#serial; serial > after; serial--) {
      const entry = this.#ring[serial % this.#ring.length]
      if (entry?.serial !== serial) break
      newest.push(entry)
    }
    return newest
  }
}
