import { noteError, readError } from './error-label.ts'
import { type AnswerFacts, type EventReading, emptyReading } from './event-reading.ts'
import { EventTemplates } from './event-templates.ts'
import type { EventSink } from './framing.ts'
import { contentStart } from './ndjson-framing.ts'
import type { WireFormat } from './wire-format.ts'

const done = '[DONE]'

/** Reads events by their format, into the facts and a reading for each. Never throws but what `onEvent` throws. */
export class EventReader implements EventSink {
  readonly #format: WireFormat
  readonly #facts: AnswerFacts
  readonly #onEvent: (reading: EventReading) => void
  readonly #reading = emptyReading()
  readonly #templates: EventTemplates
  /** `[DONE]` came: what follows is not read. */
  #over = false
  /** HTTP ended the answer properly; known at the end. */
  clean = false

  constructor(format: WireFormat, facts: AnswerFacts, onEvent: (reading: EventReading) => void) {
    this.#format = format
    this.#templates = new EventTemplates(format)
    this.#facts = facts
    this.#onEvent = onEvent
  }

  get over(): boolean {
    return this.#over
  }

  /** HOT PATH: runs once per event. */
  event(bytes: Buffer, start: number, end: number, namedError: boolean): void {
    if (this.#over) return
    if (this.#facts.streamed === false) {
      this.#readBody(bytes, start, end)
      return
    }
    this.#clear()
    this.#facts.events++
    const reading = this.#reading
    const likeJson = start < end && bytes[start] === 0x7b
    if (namedError || !likeJson || !this.#templates.read(bytes, start, end, reading, this.#facts)) {
      if (likeJson || !this.#readMark(bytes, start, end)) this.#readJson(bytes, start, end, namedError)
      if ((reading.answer || reading.reasoning) && !namedError) {
        this.#templates.learn(bytes, start, end, reading, this.#facts)
      }
    }
    this.#onEvent(reading)
  }

  /** Read only at a clean end and only if it is `[DONE]` or whole JSON; else it is neither an event nor an invalid one. */
  unfinished(bytes: Buffer, start: number, end: number, namedError: boolean): void {
    if (this.#over || !this.clean) return
    if (!isDone(bytes, start, end)) {
      const message = parse(bytes.toString('utf8', start, end))
      if (typeof message !== 'object' || message === null) return
    }
    this.event(bytes, start, end, namedError)
  }

  comment(): void {
    if (!this.#over) this.#facts.comments++
  }

  skipped(): void {
    if (!this.#over) this.#facts.skippedEvents++
  }

  #clear(): void {
    const reading = this.#reading
    reading.reasoning = false
    reading.answer = false
    reading.contentChars = 0
    reading.reasoningChars = 0
    reading.toolChars = 0
    reading.outputTokens = undefined
  }

  /** `[DONE]`, or no data at all (a keep-alive). */
  #readMark(bytes: Buffer, start: number, end: number): boolean {
    if (contentStart(bytes, start, end, false) === end) return true
    if (!isDone(bytes, start, end)) return false
    this.#over = true
    if (this.#format.protocolEnds.includes(done)) {
      this.#facts.endSeen = true
      this.#facts.protocolEndSeen = true
    }
    return true
  }

  #readJson(bytes: Buffer, start: number, end: number, namedError: boolean): void {
    const facts = this.#facts
    const message = parse(bytes.toString('utf8', start, end))
    if (message === undefined) {
      facts.invalidEvents++
      if (namedError) noteError(undefined, facts)
      return
    }
    if (typeof message !== 'object' || message === null) return
    readError(message, facts)
    if (namedError) noteError(message, facts)
    if (!Array.isArray(message)) this.#format.readEvent(message, this.#reading, facts)
  }

  #readBody(bytes: Buffer, start: number, end: number): void {
    const facts = this.#facts
    const message = parse(bytes.toString('utf8', start, end))
    if (message === undefined) {
      if (this.clean) facts.invalidEvents++
      return
    }
    facts.events++
    if (typeof message !== 'object' || message === null) return
    readError(message, facts)
    facts.wholeBody = { contentChars: 0, reasoningChars: 0, toolChars: 0 }
    if (!Array.isArray(message)) this.#format.readBody(message, facts.wholeBody, facts)
  }
}

/** `[DONE]`, white space round it aside. */
function isDone(bytes: Buffer, start: number, end: number): boolean {
  const first = contentStart(bytes, start, end, false)
  if (bytes[first] !== 0x5b || end - first < done.length) return false
  const last = first + done.length
  return contentStart(bytes, last, end, false) === end && bytes.toString('latin1', first, last) === done
}

/** The value, or undefined (which no JSON is) where the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
