import type { StreamMeasurement } from '../measurement/stream-measurement.ts'
import type { Evaluation } from './evaluation.ts'
import { binGrowth, FineHistogram } from './fine-histogram.ts'
import type { Distribution, ModelWindow } from './live-shapes.ts'

export { binGrowth }

/** Ends of the lowest buckets. */
export const lowestSeconds = 0.0005
export const lowestRate = 0.1

/** What a model did in one span of time: about 7 KB. */
export class ModelTally {
  n = 0
  #errors = 0
  #clientsLeft = 0
  #cacheHits = 0
  #cacheKnown = 0
  #outputTokens = 0
  #costUsd: number | undefined
  readonly #ttft = new FineHistogram(lowestSeconds)
  readonly #answer = new FineHistogram(lowestSeconds)
  readonly #tpot = new FineHistogram(lowestSeconds / 10)
  readonly #rate = new FineHistogram(lowestRate)
  readonly #chars = new FineHistogram(lowestRate)

  add(m: StreamMeasurement, { figures }: Evaluation): void {
    this.n++
    if (m.outcome === 'client_abort') this.#clientsLeft++
    else if (m.outcome !== 'ok' && m.outcome !== 'shutdown') this.#errors++
    if (m.cache !== 'unknown') this.#cacheKnown++
    if (m.cache === 'hit' || m.cache === 'response') this.#cacheHits++
    this.#outputTokens += m.tokens?.output ?? 0
    if (m.costUsd !== undefined) this.#costUsd = (this.#costUsd ?? 0) + m.costUsd
    observe(this.#ttft, figures['time_to_first_token_seconds'])
    observe(this.#answer, figures['time_to_first_answer_seconds'])
    observe(this.#tpot, figures['time_per_output_token_seconds'])
    observe(this.#rate, figures['output_tokens_per_second'])
    observe(this.#chars, figures['output_chars_per_second'])
  }

  merge(other: ModelTally): void {
    this.n += other.n
    this.#errors += other.#errors
    this.#clientsLeft += other.#clientsLeft
    this.#cacheHits += other.#cacheHits
    this.#cacheKnown += other.#cacheKnown
    this.#outputTokens += other.#outputTokens
    if (other.#costUsd !== undefined) this.#costUsd = (this.#costUsd ?? 0) + other.#costUsd
    this.#ttft.merge(other.#ttft)
    this.#answer.merge(other.#answer)
    this.#tpot.merge(other.#tpot)
    this.#rate.merge(other.#rate)
    this.#chars.merge(other.#chars)
  }

  window(): ModelWindow {
    return {
      n: this.n,
      errors: this.#errors,
      clientsLeft: this.#clientsLeft,
      cacheHits: this.#cacheHits,
      cacheKnown: this.#cacheKnown,
      outputTokens: this.#outputTokens,
      costUsd: this.#costUsd ?? null,
      ttft: distribution(this.#ttft),
      answer: distribution(this.#answer),
      rate: distribution(this.#rate),
      chars: distribution(this.#chars),
      tpot: distribution(this.#tpot),
    }
  }
}

function observe(histogram: FineHistogram, value: number | undefined): void {
  if (value !== undefined) histogram.observe(value)
}

function distribution(histogram: FineHistogram): Distribution {
  return {
    n: histogram.count,
    p50: threeDigits(histogram.quantile(0.5)),
    p95: threeDigits(histogram.quantile(0.95)),
    ...histogram.bins(),
  }
}

const threeDigits = (value: number | undefined): number | null =>
  value === undefined ? null : Number(value.toPrecision(3))
