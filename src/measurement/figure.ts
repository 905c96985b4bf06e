import type { Generation } from './rates.ts'
import type { Reason } from './reasons.ts'
import type { StreamMeasurement } from './stream-measurement.ts'

/** A number derived from one exchange. Histograms, log fields, pages, the bench table and the docs are made from this list. */
export interface Figure {
  /** Without prefix; with its unit. */
  readonly name: string
  readonly title: string
  readonly unit: 's' | 'tok/s' | 'char/s' | '1/s' | 'ratio'
  readonly help: string
  readonly formula: string
  /** Bounds of its histogram; `undefined`: it stands in the log alone. */
  readonly buckets: readonly number[] | undefined
  /** The value; or why it is missing; or `undefined` where the question does not arise (nothing is counted as unmeasured then). */
  of(m: StreamMeasurement, g: Generation): number | Reason | undefined
  /** The formula that holds for this exchange, where that is not simply `formula`; `undefined`: it cannot be worked out from the record. */
  expression?(m: StreamMeasurement, g: Generation): string | undefined
}

/** The mark that a time begins with: t0, or the request's head where it was never handed over. */
export const begin = (m: StreamMeasurement): 'dispatched' | 'received' =>
  m.marks.dispatched === undefined ? 'received' : 'dispatched'

/** Milliseconds between two marks, as seconds. */
export const seconds = (from: number, to: number): number => (to - from) / 1000
