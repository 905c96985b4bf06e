import type { Operation } from '../measurement/stream-measurement.ts'
import { unnamedError } from './error-label.ts'
import { EventReader } from './event-reader.ts'
import { type AnswerFacts, type EventReading, emptyFacts } from './event-reading.ts'
import { FramingChoice, framingOf } from './framing-choice.ts'
import { wireFormatOf } from './wire-formats.ts'

export interface AnswerReaderOptions {
  operation: Operation
  /** HTTP status: from 400 on an answer without an error of its own is the error `http_NNN`. */
  status: number
  contentType: string | undefined
  /** An event longer than this, or a whole JSON body longer than four times this, is skipped and counted. Default 1 MiB. */
  maxEventBytes?: number
}

/**
 * Reads one answer's body, content codings taken off, as it comes: what each event is, and what the answer tells.
 * Never throws for any bytes, keeps at most a few times `maxEventBytes`.
 */
export class AnswerReader {
  readonly facts: AnswerFacts
  readonly #options: AnswerReaderOptions
  readonly #events: EventReader
  readonly #framing: FramingChoice
  #binary = false

  /**
   * @param onEvent called once for each complete event of a stream, `[DONE]` and invalid ones too, comments not; inside
   *   `push` or `end`. The reading is one object, written anew each time.
   */
  constructor(options: AnswerReaderOptions, onEvent: (reading: EventReading) => void) {
    const format = wireFormatOf(options.operation)
    this.#options = options
    this.facts = emptyFacts(format.inputAccounting)
    this.#events = new EventReader(format, this.facts, onEvent)
    this.#framing = new FramingChoice(
      options.contentType,
      format.streamsLines,
      options.maxEventBytes ?? 1_048_576,
      this.#events,
      (name, lied, binary) => {
        this.#binary = binary
        this.facts.streamed = name === 'sse' || name === 'ndjson'
        this.facts.contentTypeLied = lied
      },
    )
  }

  /** HOT PATH: runs once per chunk. */
  push(bytes: Uint8Array): void {
    if (this.#events.over) return
    this.#framing.push(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }

  /**
   * The body is over.
   * @param clean HTTP ended it properly: only then an event that lacks its end may be read
   */
  end(clean: boolean): void {
    this.#events.clean = clean
    this.#framing.end()
    this.facts.unreadable = this.#binary && this.facts.events === 0
    const { status } = this.#options
    const { error } = this.facts
    if (status >= 400 && (error === undefined || error === unnamedError)) this.facts.error = `http_${status}`
  }
}

/** Whether a content type names a framing of events. */
export function namesStream(contentType: string | undefined): boolean {
  const name = framingOf(contentType)
  return name === 'sse' || name === 'ndjson'
}
