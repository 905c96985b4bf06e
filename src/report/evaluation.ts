import { evaluate, passthroughFigures } from '../measurement/figures.ts'
import { type Generation, generation, noRateReason } from '../measurement/rates.ts'
import type { Reason } from '../measurement/reasons.ts'
import type { StreamMeasurement } from '../measurement/stream-measurement.ts'

export type Flag = 'buffered' | 'resent' | 'not_decoded' | 'measuring_failed'

/** What is derived from one exchange: the same for metrics, log line and page. */
export interface Evaluation {
  readonly figures: Readonly<Record<string, number>>
  readonly unmeasured: Readonly<Record<string, Reason>>
  readonly generation: Generation
  readonly flags: readonly Flag[]
}

let last: { readonly of: StreamMeasurement; readonly evaluation: Evaluation } | undefined

/** Recorders are told of an exchange one after another, so that the last evaluation is nearly always the one asked for. */
export function evaluationOf(m: StreamMeasurement): Evaluation {
  if (last?.of === m) return last.evaluation
  const evaluation = m.identity.operation === undefined ? evaluatePassedThrough(m) : { ...evaluate(m), flags: [] }
  const complete = { ...evaluation, flags: flagsOf(m, evaluation.generation) }
  last = { of: m, evaluation: complete }
  return complete
}

function evaluatePassedThrough(m: StreamMeasurement): Omit<Evaluation, 'flags'> {
  const g = generation(m)
  const figures: Record<string, number> = {}
  for (const figure of passthroughFigures) {
    const value = figure.of(m, g)
    if (typeof value === 'number' && Number.isFinite(value)) figures[figure.name] = value
  }
  return { figures, unmeasured: {}, generation: g }
}

/** A stream that failed or that the client held up came in few pieces for another reason. */
export function wasBuffered(m: StreamMeasurement, g: Generation): boolean {
  return g.buffered && m.identity.operation !== undefined && noRateReason(m) === undefined
}

function flagsOf(m: StreamMeasurement, g: Generation): Flag[] {
  const flags: Flag[] = []
  if (wasBuffered(m, g)) flags.push('buffered')
  if (m.resends > 0) flags.push('resent')
  if (m.decoding === 'not_decoded') flags.push('not_decoded')
  if (m.measurementErrors.length > 0) flags.push('measuring_failed')
  return flags
}
