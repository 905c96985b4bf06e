import type { Figure } from './figure.ts'
import {
  blendedTokensPerSecond,
  burstiness,
  interChunkTime,
  longestStall,
  outputCharsPerSecond,
  outputEventsPerSecond,
  outputTokensPerSecond,
  timePerOutputToken,
} from './rate-figures.ts'
import { type Generation, generation } from './rates.ts'
import type { Reason } from './reasons.ts'
import type { StreamMeasurement } from './stream-measurement.ts'
import {
  abandonedWait,
  connectionWait,
  duration,
  markUncertainty,
  proxyOverhead,
  requestUpload,
  timeToFirstAnswer,
  timeToFirstByte,
  timeToFirstToken,
  timeToHeaders,
} from './time-figures.ts'

export type { Figure } from './figure.ts'
export { interChunkTime, timeToFirstToken }

/** Version of the definitions. It changes when a formula, a condition or a reason does. */
export const definitionsVersion = '1'

/** Every figure, in the order in which people read them. */
export const figures: readonly Figure[] = [
  timeToFirstToken,
  timeToFirstAnswer,
  timeToFirstByte,
  timeToHeaders,
  connectionWait,
  requestUpload,
  proxyOverhead,
  markUncertainty,
  timePerOutputToken,
  outputTokensPerSecond,
  outputCharsPerSecond,
  outputEventsPerSecond,
  blendedTokensPerSecond,
  interChunkTime,
  longestStall,
  burstiness,
  duration,
  abandonedWait,
]

export interface Evaluation {
  readonly figures: Readonly<Record<string, number>>
  readonly unmeasured: Readonly<Record<string, Reason>>
  readonly generation: Generation
}

/** All figures of a generation in one pass. A value that is not finite is a fault of ours and is left out. */
export function evaluate(m: StreamMeasurement): Evaluation {
  const g = generation(m)
  const found: Record<string, number> = {}
  const missing: Record<string, Reason> = {}
  for (const figure of figures) {
    const value = figure.of(m, g)
    if (typeof value === 'string') missing[figure.name] = value
    else if (value !== undefined && Number.isFinite(value)) found[figure.name] = value
  }
  return { figures: found, unmeasured: missing, generation: g }
}

/** Figures of a request that is passed through: times alone. */
export const passthroughFigures: readonly Figure[] = [timeToHeaders, timeToFirstByte, connectionWait, duration]
