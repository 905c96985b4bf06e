import type { Operation } from '../measurement/stream-measurement.ts'
import type { InputAccounting } from '../measurement/usage.ts'
import type { AnswerFacts, EventReading, WholeBody } from './event-reading.ts'

/** What the events of one API mean. Its framing is another matter (framing.ts). */
export interface WireFormat {
  readonly operations: readonly Operation[]
  readonly inputAccounting: InputAccounting
  /** What closes a stream of this API. `[DONE]` among them: it is an end of this API, not only the end of what is read. */
  readonly protocolEnds: readonly string[]
  /** The API streams lines of JSON, so a body that begins like JSON may be a stream. */
  readonly streamsLines: boolean
  /**
   * HOT PATH: runs once per event. Reads an event's JSON (an object) into `reading`, which is empty, and `facts`.
   * Errors at the top of the object are read already (error-label.ts).
   */
  readEvent(message: object, reading: EventReading, facts: AnswerFacts): void
  /** Reads a whole answer. */
  readBody(message: object, body: WholeBody, facts: AnswerFacts): void
}
