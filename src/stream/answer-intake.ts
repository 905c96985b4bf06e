import type { Decoding, MeasurementStage, Operation } from '../measurement/stream-measurement.ts'
import { AnswerReader } from '../wire/answer-reader.ts'
import type { AnswerFacts, EventReading } from '../wire/event-reading.ts'
import { type ContentDecoder, createContentDecoder } from './content-decoding.ts'
import type { AnswerHead } from './stream-observer.ts'

/** When a chunk came; the events that it completed bear these times, also where they are decoded later. */
export interface ChunkInstant {
  at: number
  turn: number
  uncertaintyMs: number
  forwardedAt: number
  /** How long the gateway had been paused before, ms in all. */
  pausedMs: number
}

/**
 * From the body's bytes to readings of its events, with the instant of the chunk that completed each. Never throws: what cannot be read is
 * told in `decoding` and `errors`, and what was read before stays.
 */
export class AnswerIntake {
  decoding: Decoding = 'plain'
  readonly errors: MeasurementStage[] = []
  readonly facts: AnswerFacts
  readonly #onEvent: (event: EventReading, instant: Readonly<ChunkInstant>) => void
  #reader: AnswerReader | undefined
  #decoder: ContentDecoder | undefined
  /** Chunks whose bytes are being decoded, the oldest first. */
  #waiting: ChunkInstant[] = []
  #firstWaiting = 0
  #instant: ChunkInstant = { at: 0, turn: 0, uncertaintyMs: 0, forwardedAt: 0, pausedMs: 0 }
  #onDecoded: (() => void) | undefined

  constructor(
    operation: Operation,
    head: AnswerHead,
    onEvent: (event: EventReading, instant: Readonly<ChunkInstant>) => void,
  ) {
    this.#onEvent = onEvent
    const contentType = firstOf(head.headers['content-type'])
    this.#reader = new AnswerReader({ operation, status: head.status, contentType }, (event) => this.#read(event))
    this.facts = this.#reader.facts
    const coding = head.headers['content-encoding']
    // Two lines are one list.
    if (coding !== undefined) this.#decode(Array.isArray(coding) ? coding.join() : coding)
  }

  /** HOT PATH: runs once per chunk. */
  chunk(
    bytes: Uint8Array,
    at: number,
    turn: number,
    uncertaintyMs: number,
    forwardedAt: number,
    pausedMs: number,
  ): void {
    if (this.#decoder !== undefined) {
      this.#waiting.push({ at, turn, uncertaintyMs, forwardedAt, pausedMs })
      this.#decoder.push(bytes, this.#firstWaiting + this.#waiting.length - 1)
      return
    }
    const instant = this.#instant
    instant.at = at
    instant.turn = turn
    instant.uncertaintyMs = uncertaintyMs
    instant.forwardedAt = forwardedAt
    instant.pausedMs = pausedMs
    this.#push(bytes)
  }

  /** The body is over. `onDone` is called once, when everything has been read; for a compressed body that may be later. */
  end(clean: boolean, onDone: () => void): void {
    if (this.#decoder === undefined) {
      this.#finish(clean, onDone)
      return
    }
    // Kept only here: a closure that an exchange keeps of itself keeps its garbage alive through many collections (measured).
    this.#onDecoded = () => this.#finish(clean, onDone)
    this.#decoder.end()
  }

  #finish(clean: boolean, onDone: () => void): void {
    try {
      this.#reader?.end(clean)
    } catch {
      this.stop('framing')
    }
    if (this.facts.unreadable && this.decoding !== 'not_decoded') this.stop('decode')
    onDone()
  }

  /** Reads no more: something broke. */
  stop(stage: MeasurementStage): void {
    this.errors.push(stage)
    this.decoding = 'not_decoded'
    this.#reader = undefined
  }

  #decode(coding: string): void {
    const decoder = createContentDecoder(coding, {
      onDecoded: (bytes, chunk) => this.#decoded(bytes, chunk),
      onDone: (failed) => {
        this.#decoder = undefined
        if (failed) this.stop('decode')
        this.#onDecoded?.()
      },
    })
    if (decoder === 'unknown') this.stop('decode')
    else if (decoder !== 'identity') {
      this.#decoder = decoder
      this.decoding = 'decoded'
    }
  }

  #decoded(bytes: Uint8Array, chunk: number): void {
    while (this.#firstWaiting < chunk) {
      this.#waiting.shift()
      this.#firstWaiting++
    }
    this.#instant = this.#waiting[0] ?? this.#instant
    this.#push(bytes)
  }

  #push(bytes: Uint8Array): void {
    try {
      this.#reader?.push(bytes)
    } catch {
      this.stop('framing')
    }
  }

  #read(event: EventReading): void {
    this.#onEvent(event, this.#instant)
  }
}

export function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
