import type { Recorder } from '../measurement/recorder.ts'
import type { StreamMeasurement } from '../measurement/stream-measurement.ts'
import { evaluationOf } from './evaluation.ts'
import { cleanLabel } from './label-values.ts'
import type { ModelRow } from './live-shapes.ts'
import { ModelTally } from './model-tally.ts'

/** A window is made of slots; the oldest falls out whole, so that "the last 5 minutes" are between 4.5 and 5. */
const windows = [
  { slotMs: 30_000, slots: 10 },
  { slotMs: 300_000, slots: 12 },
] as const

/** Pairs of gateway and model that are told apart: 150 KB each at most. The rest is `other`. */
const mostModels = 50

const otherKey = JSON.stringify(['', 'other'])

class Slots {
  readonly #slotMs: number
  readonly #tallies: (ModelTally | undefined)[]
  readonly #serials: Float64Array

  constructor({ slotMs, slots }: (typeof windows)[number]) {
    this.#slotMs = slotMs
    this.#tallies = new Array<ModelTally | undefined>(slots).fill(undefined)
    this.#serials = new Float64Array(slots).fill(-1)
  }

  at(now: number): ModelTally {
    const serial = Math.floor(now / this.#slotMs)
    const slot = serial % this.#tallies.length
    const known = this.#tallies[slot]
    if (known !== undefined && this.#serials[slot] === serial) return known
    const tally = new ModelTally()
    this.#tallies[slot] = tally
    this.#serials[slot] = serial
    return tally
  }

  sum(now: number): ModelTally {
    const oldest = Math.floor(now / this.#slotMs) - this.#tallies.length
    const sum = new ModelTally()
    for (const [slot, tally] of this.#tallies.entries()) {
      if (tally === undefined) continue
      if ((this.#serials[slot] as number) > oldest) sum.merge(tally)
      else this.#tallies[slot] = undefined
    }
    return sum
  }
}

interface Model {
  readonly gateway: string
  readonly model: string
  readonly recent: readonly Slots[]
  readonly total: ModelTally
}

/** What each model did in the last 5 minutes, the last hour and since the start, bounded in memory. */
export class ModelTable implements Recorder {
  readonly #clock: () => number
  readonly #models = new Map<string, Model>()

  /** `clock` in ms. */
  constructor(clock: () => number) {
    this.#clock = clock
  }

  started(): void {}

  firstToken(): void {}

  ended(m: StreamMeasurement): void {
    if (m.identity.operation === undefined) return
    const model = this.#modelOf(cleanLabel(m.identity.gateway), cleanLabel(m.identity.model))
    const evaluation = evaluationOf(m)
    const now = this.#clock()
    model.total.add(m, evaluation)
    for (const slots of model.recent) slots.at(now).add(m, evaluation)
  }

  rows(): ModelRow[] {
    const now = this.#clock()
    return [...this.#models.values()].map(({ gateway, model, recent, total }) => ({
      gateway,
      model,
      windows: [...recent.map((slots) => slots.sum(now)), total].map((tally) =>
        tally.n === 0 ? null : tally.window(),
      ),
    }))
  }

  #modelOf(gateway: string, name: string): Model {
    const key = JSON.stringify([gateway, name])
    const known = this.#models.get(key)
    if (known !== undefined) return known
    if (this.#models.size >= mostModels && key !== otherKey) return this.#modelOf('', 'other')
    const model: Model = {
      gateway,
      model: name,
      recent: windows.map((window) => new Slots(window)),
      total: new ModelTally(),
    }
    this.#models.set(key, model)
    return model
  }
}
