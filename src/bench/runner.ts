import { createHash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { type Instruments, type Measured, runExchange } from './bench-exchange.ts'
import { type ExchangeResult, type LeftOut, type Load, resultOf } from './exchange-result.ts'
import { promptFor } from './prompt.ts'
import type { Question } from './request-body.ts'
import type { Step } from './schedule.ts'
import type { Cell } from './subject.ts'

export interface RunnerOptions {
  readonly instruments: Instruments
  /** Different from run to run, so that no cache of an earlier run answers. */
  readonly nonce: string
  /** Aborted: what runs is left, nothing more begins. */
  readonly stop: AbortSignal
  readonly tolerance: Tolerance
  readonly onResult: (result: ExchangeResult) => void
}

interface Going {
  readonly cell: Cell
  readonly load: Load
  readonly round: number
  /** Beginning of the prompt's nonce for this very exchange. */
  readonly serial: string
  readonly left: LeftOut | null
  readonly stop: AbortSignal
  readonly scheduled?: number
}

/** A mark that may be later than `ms`, and than this share of the time that it ends, spoils its exchange. */
export interface Tolerance {
  readonly ms: number
  readonly share: number
}

export const usualTolerance: Tolerance = { ms: 5, share: 0.05 }

/** Does the steps of a schedule. */
export class Runner {
  readonly #o: RunnerOptions
  readonly #begin: number
  /** Rates that were given up because too many streams ran, by target, model and rate. */
  readonly givenUp: { target: string; model: string; perSecond: number }[] = []
  /** Requests sent to keep the load up and then left. */
  fillers = 0

  constructor(options: RunnerOptions) {
    this.#o = options
    // Every running stream listens.
    setMaxListeners(0, options.stop)
    this.#begin = options.instruments.turns.now()
  }

  async run(steps: Iterable<Step>): Promise<void> {
    for (const step of steps) {
      if (this.#o.stop.aborted) return
      if (step.kind === 'single') await this.#single(step)
      else if (step.kind === 'closed') await this.#closed(step)
      else await this.#open(step)
    }
  }

  async #single({ cell, round, cold }: Step & { kind: 'single' }): Promise<void> {
    const left = cold ? 'cold' : null
    const load: Load = { kind: 'closed', concurrency: 1 }
    await this.#exchange({ cell, load, round, serial: `${round}`, left, stop: this.#o.stop })
  }

  async #closed({ cell, concurrency, kept, round }: Step & { kind: 'closed' }): Promise<void> {
    const enough = new AbortController()
    const stop = AbortSignal.any([this.#o.stop, enough.signal])
    setMaxListeners(0, stop)
    const load: Load = { kind: 'closed', concurrency }
    let begun = 0
    let over = 0
    const worker = async (): Promise<void> => {
      while (over < kept && !stop.aborted) {
        const index = begun++
        const isKept = index >= concurrency && index < concurrency + kept
        if (index >= concurrency + kept) this.fillers++
        const serial = `${concurrency}-${round}-${index}`
        await this.#exchange({
          cell,
          load,
          round: begunRound(index, concurrency),
          serial,
          left: isKept ? null : 'ramp',
          stop,
        })
        // Those that only kept the load up are left as soon as nobody needs it.
        if (isKept && ++over === kept) enough.abort()
      }
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
  }

  async #open({ cell, perSecond, instants, round }: Step & { kind: 'open' }): Promise<void> {
    const { stop } = this.#o
    const { turns, plan } = this.#o.instruments
    const load: Load = { kind: 'open', perSecond }
    const begin = turns.now()
    const running = new Set<Promise<void>>()
    for (const [index, instant] of instants.entries()) {
      const scheduled = begin + instant
      // Again, for timers may fire early, and a request before its instant would look faster than it is.
      for (let wait = scheduled - turns.now(); wait > 0 && !stop.aborted; wait = scheduled - turns.now()) {
        await delay(Math.ceil(wait), undefined, { signal: stop }).catch(() => {})
      }
      if (stop.aborted) break
      if (running.size >= plan.rate.mostInFlight) {
        this.givenUp.push({ target: cell.subject.target.name, model: cell.subject.model, perSecond })
        break
      }
      const serial = `r${perSecond}-${round}-${index}`
      const exchange = this.#exchange({ cell, load, round: index, serial, left: null, stop, scheduled })
      running.add(exchange)
      exchange.then(() => running.delete(exchange))
    }
    await Promise.all(running)
  }

  async #exchange(going: Going): Promise<void> {
    const { instruments, onResult, stop } = this.#o
    const { cell, load, round } = going
    const { target, model } = cell.subject
    const measured = await runExchange(
      instruments,
      cell.subject.gateway,
      this.#question(going),
      going.stop,
      going.scheduled,
    )
    const isLeft = measured.measurement.outcome === 'client_abort'
    if (isLeft && !stop.aborted) return
    const place = {
      target: target.name,
      model,
      operation: target.operation,
      prompt: cell.prompt.name,
      mode: cell.mode,
      load,
      round,
    }
    const left = isLeft ? 'interrupted' : (going.left ?? (isSpoilt(measured, this.#o.tolerance) ? 'spoilt' : null))
    const { scheduled } = going
    onResult(resultOf(measured.measurement, place, { scheduled, left, late: measured.late, begin: this.#begin }))
  }

  #question({ cell, round, serial }: Going): Question {
    const { subject, prompt, mode } = cell
    const { target, model, adaptation } = subject
    // A cached prompt is the same for all exchanges of its cell, and no other cell's: one must not warm up the other.
    const own = mode === 'cached' ? 'cached' : serial
    const key = createHash('sha256')
      .update([this.#o.nonce, target.name, model, prompt.name, own].join('\n'))
      .digest('hex')
    const text = promptFor(prompt, round, key.slice(0, 16))
    return { target, model, text, mode, cacheKey: key.slice(0, 32), adaptation }
  }
}

/** Of sets of prompts, those that run side by side take different ones. */
const begunRound = (index: number, concurrency: number): number => Math.max(0, index - concurrency)

/** The bench's own event loop was held when a mark was taken, for longer than can be overlooked. */
function isSpoilt({ measurement: { marks }, late }: Measured, tolerance: Tolerance): boolean {
  const { dispatched, firstToken, lastToken } = marks
  if (dispatched === undefined || firstToken === undefined || lastToken === undefined) return false
  const allowed = (ms: number): number => Math.max(tolerance.ms, tolerance.share * ms)
  return late.first > allowed(firstToken - dispatched) || late.last > allowed(lastToken - firstToken)
}
