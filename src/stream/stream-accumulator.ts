import { ChunkInstants } from '../measurement/chunk-instants.ts'
import { type Bounds, GapHistogram } from '../measurement/histogram.ts'
import type { RunningExchange } from '../measurement/recorder.ts'
import type { ExchangeIdentity, Marks, StreamMeasurement } from '../measurement/stream-measurement.ts'
import type { TokenCounts } from '../measurement/usage.ts'
import { type HeaderFacts, readAnswerHeaders } from '../wire/answer-headers.ts'
import type { EventReading } from '../wire/event-reading.ts'
import { AnswerIntake, type ChunkInstant } from './answer-intake.ts'
import { measure } from './measure.ts'
import { OutputTally } from './output-tally.ts'
import { longPauseMs, PauseTally } from './pause-tally.ts'
import type { AnswerHead, EndCause, StreamObserver } from './stream-observer.ts'

export interface AccumulatorOptions {
  readonly identity: ExchangeIdentity
  /** Instant of `received`, ms. */
  readonly received: number
  readonly gapBounds: Bounds
  /** USD for the tokens, by the price table. */
  readonly price?: ((tokens: TokenCounts) => number | undefined) | undefined
  readonly onFirstToken?: ((exchange: RunningExchange) => void) | undefined
  /** Called once. For a compressed answer it may come a little after `end()`. */
  readonly onFinished: (measurement: StreamMeasurement, exchange: RunningExchange) => void
}

let none: GapHistogram | undefined

/** Of the exchanges that have no gap, which is every whole answer: one for all, never written. */
function noGaps(bounds: Bounds): GapHistogram {
  if (none?.bounds !== bounds) none = new GapHistogram(bounds)
  return none
}

/** Watches one exchange, keeps its marks and counts, and makes the frozen record at the end. */
export class StreamAccumulator implements StreamObserver, RunningExchange {
  readonly identity: ExchangeIdentity
  readonly marks: Marks
  readonly all = new OutputTally()
  readonly answer = new OutputTally()
  readonly pauses = new PauseTally()
  gaps: GapHistogram
  readonly price: AccumulatorOptions['price']
  chunkInstants: ChunkInstants | undefined
  uncertaintyMs: number | undefined
  /** Body bytes, before decoding. */
  bytes = 0
  contentChars = 0
  reasoningChars = 0
  toolChars = 0
  pausedInWindowMs = 0
  resends = 0
  /** The status of an answer that the proxy made itself. */
  ownStatus: number | undefined
  answerHead: AnswerHead | undefined
  headerFacts: HeaderFacts | undefined
  intake: AnswerIntake | undefined
  /** The observer broke: nothing but bytes and times of the HTTP side can be told. */
  broken = false
  readonly #options: AccumulatorOptions
  #lastOutputAt = 0
  #pausedAtFirstMs = 0
  #pausedAtLastMs = 0
  #ended = false

  constructor(options: AccumulatorOptions) {
    this.identity = options.identity
    this.price = options.price
    this.#options = options
    this.gaps = noGaps(options.gapBounds)
    this.marks = {
      received: options.received,
      bodyReceived: undefined,
      dispatched: undefined,
      sent: undefined,
      headers: undefined,
      firstByte: undefined,
      firstEvent: undefined,
      firstReasoning: undefined,
      firstAnswer: undefined,
      firstToken: undefined,
      lastToken: undefined,
      firstTokenForwarded: undefined,
      ended: undefined,
    }
  }

  get chars(): number {
    return this.all.chars
  }

  get outputChunks(): number {
    return this.all.chunks
  }

  get awaitsFirstToken(): boolean {
    return this.marks.firstToken === undefined
  }

  /** The exchange is over, though its last compressed bytes may still be decoded. */
  get ended(): boolean {
    return this.#ended
  }

  /** The answer's own end event has passed: a client that leaves now leaves a finished answer. */
  get endSeen(): boolean {
    return this.intake?.facts.endSeen === true
  }

  sent(at: number): void {
    this.marks.sent = at
  }

  head(head: AnswerHead, at: number): void {
    this.answerHead = head
    this.marks.headers = at
    this.headerFacts = readAnswerHeaders(head.headers)
    const { operation } = this.identity
    if (operation !== undefined) this.intake = new AnswerIntake(operation, head, this.#onEvent)
  }

  /** HOT PATH: runs once per chunk. */
  chunk(bytes: Uint8Array, at: number, turn: number, uncertaintyMs: number, forwardedAt: number): void {
    if (this.#ended) return
    this.marks.firstByte ??= at
    this.bytes += bytes.length
    this.intake?.chunk(bytes, at, turn, uncertaintyMs, forwardedAt, this.pauses.totalMs)
  }

  paused(at: number): void {
    this.pauses.paused(at)
  }

  resumed(at: number): void {
    this.pauses.resumed(at)
  }

  /** Called by the tap's owner when looking threw. */
  breakOff(): void {
    this.broken = true
    this.intake?.stop('observer')
  }

  end(cause: EndCause, at: number): void {
    if (this.#ended) return
    this.#ended = true
    this.marks.ended = at
    this.pauses.resumed(at)
    const finish = (): void => this.#options.onFinished(this.#measured(cause), this)
    if (this.intake === undefined) finish()
    else this.intake.end(cause.kind === 'complete', finish)
  }

  /** Every exchange is counted, also one whose answer breaks the measuring of it: then without what was read. */
  #measured(cause: EndCause): StreamMeasurement {
    try {
      return measure(this, cause)
    } catch {
      this.broken = true
      this.intake = undefined
      this.headerFacts = undefined
      return measure(this, cause)
    }
  }

  /** HOT PATH: runs once per event. */
  readonly #onEvent = (event: EventReading, instant: Readonly<ChunkInstant>): void => {
    const { marks } = this
    const { at, turn } = instant
    marks.firstEvent ??= at
    if (!event.answer && !event.reasoning) return
    const answerChars = event.contentChars + event.toolChars
    this.contentChars += event.contentChars
    this.toolChars += event.toolChars
    this.reasoningChars += event.reasoningChars
    if (event.answer) {
      marks.firstAnswer ??= at
      this.answer.add(turn, answerChars, event.outputTokens)
    }
    if (event.reasoning) marks.firstReasoning ??= at
    const firstOfChunk = this.all.add(turn, answerChars + event.reasoningChars, event.outputTokens)
    marks.lastToken = at
    if (firstOfChunk) this.#outputChunk(instant)
  }

  #outputChunk(instant: Readonly<ChunkInstant>): void {
    const { at, pausedMs } = instant
    if (this.all.chunks > 1) {
      this.pausedInWindowMs = pausedMs - this.#pausedAtFirstMs
      if (pausedMs - this.#pausedAtLastMs < longPauseMs) {
        if (this.gaps.count === 0) this.gaps = new GapHistogram(this.#options.gapBounds)
        this.gaps.observe((at - this.#lastOutputAt) / 1000)
        this.chunkInstants?.gap(this.#lastOutputAt, at)
      }
    } else {
      this.chunkInstants = new ChunkInstants(this.marks.received)
      this.marks.firstToken = at
      this.marks.firstTokenForwarded = instant.forwardedAt
      this.uncertaintyMs = instant.uncertaintyMs
      this.#pausedAtFirstMs = pausedMs
      this.#options.onFirstToken?.(this)
    }
    this.chunkInstants?.add(at)
    this.#lastOutputAt = at
    this.#pausedAtLastMs = pausedMs
  }
}
