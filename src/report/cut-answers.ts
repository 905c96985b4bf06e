import type { Outcome } from '../measurement/outcomes.ts'
import type { Recorder } from '../measurement/recorder.ts'

/** Fields of a warning: names and counts of our own, nothing of the answer. */
export interface CutAnswer {
  /** As in the exchange log. */
  readonly id: string
  readonly gateway: string
  readonly outcome: Outcome
  readonly error: string | null
  /** The body's bytes that came. */
  readonly bytes: number
  /** How long before the end the last output event came, ms; `null`: none came, or the body was not read. */
  readonly last_event_age_ms: number | null
}

/** The gateway's head came, its end did not: definitions.md, "Outcomes". */
const cutOutcomes: ReadonlySet<Outcome> = new Set<Outcome>(['gateway_error', 'gateway_timeout', 'truncated'])

/** Tells of each answer that began and that the gateway did not bring to its end; also where no exchange log is written. */
export function cutAnswers(tell: (cut: CutAnswer) => void): Recorder {
  return {
    started() {},
    firstToken() {},
    ended({ identity, marks, answered, outcome, error, output }) {
      if (!answered || !cutOutcomes.has(outcome)) return
      const { lastToken, ended } = marks
      tell({
        id: identity.id,
        gateway: identity.gateway,
        outcome,
        error: error ?? null,
        bytes: output.bytes,
        last_event_age_ms: lastToken === undefined ? null : Math.round(ended - lastToken),
      })
    },
  }
}
