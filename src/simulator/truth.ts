import type { Piece } from './plan.ts'

/** Instants of the simulator's own doing, milliseconds after the request's head was received. Absent: it did not happen. */
export interface TruthMarks {
  bodyReceived?: number
  headers?: number
  firstByte?: number
  firstReasoning?: number
  firstAnswer?: number
  firstToken?: number
  lastToken?: number
  ended?: number
  /** The client went away before the end. */
  clientLeft?: number
}

/** What the simulator really did with one request. Grows while the answer runs. */
export interface ExchangeTruth {
  readonly id: string
  /** Wall clock, ms since the epoch. */
  readonly startedAt: number
  readonly method: string
  readonly path: string
  /** `undefined` for what is no generation. */
  operation: string | undefined
  model: string
  servedModel: string
  provider: string | undefined
  streamed: boolean
  choices: number
  status: number
  state: 'running' | 'completed' | 'failed' | 'client_left'
  readonly marks: TruthMarks
  /** As the usage says, or would have said. */
  readonly tokens: { input: number; cached: number; cacheWrite: number; output: number; reasoning: number }
  /** What was streamed: tokens, and those that were out with the first output write (of all, of answer tokens alone). */
  readonly written: {
    tokens: number
    answerTokens: number
    firstWriteTokens: number
    answerFirstWriteTokens: number
    /** Output events and output writes. */
    events: number
    writes: number
    comments: number
    bytes: number
  }
  /** Code points by kind, and those of the first output write and of the first with an answer (the answer's alone). */
  readonly chars: { answer: number; reasoning: number; tool: number; firstWrite: number; answerFirstWrite: number }
  /** What was done on purpose: `error`, `reset`, `truncate`, `hang`, `stall`, `buffered`, `status_429` … */
  readonly injected: string[]
  /** When each output write was made; at most 4096 are kept. */
  readonly instants: number[]
}

const keptInstants = 4096

export function beginTruth(id: string, method: string, path: string): ExchangeTruth {
  return {
    id,
    startedAt: Date.now(),
    method,
    path,
    operation: undefined,
    model: '',
    servedModel: '',
    provider: undefined,
    streamed: false,
    choices: 1,
    status: 0,
    state: 'running',
    marks: {},
    tokens: { input: 0, cached: 0, cacheWrite: 0, output: 0, reasoning: 0 },
    written: {
      tokens: 0,
      answerTokens: 0,
      firstWriteTokens: 0,
      answerFirstWriteTokens: 0,
      events: 0,
      writes: 0,
      comments: 0,
      bytes: 0,
    },
    chars: { answer: 0, reasoning: 0, tool: 0, firstWrite: 0, answerFirstWrite: 0 },
    injected: [],
    instants: [],
  }
}

/** A piece as it was encoded. `told`: it is in an output event of this write; else only its tokens count. */
export interface WrittenPiece {
  readonly piece: Piece
  readonly told: boolean
  readonly chars: number
}

/** A write that carries output was made at `at`. */
export function noteOutput(truth: ExchangeTruth, pieces: readonly WrittenPiece[], at: number): void {
  const { written, chars, marks } = truth
  const answerBefore = marks.firstAnswer !== undefined
  for (const { piece, told, chars: added } of pieces) {
    written.tokens += piece.tokens
    if (piece.phase !== 'reasoning') written.answerTokens += piece.tokens
    if (!told) continue
    written.events++
    if (piece.phase === 'reasoning') marks.firstReasoning ??= at
    else marks.firstAnswer ??= at
    chars[piece.phase] += added
  }
  if (written.writes++ === 0) {
    marks.firstToken = at
    written.firstWriteTokens = written.tokens
    chars.firstWrite = chars.answer + chars.reasoning + chars.tool
  }
  if (!answerBefore && marks.firstAnswer !== undefined) {
    written.answerFirstWriteTokens = written.answerTokens
    chars.answerFirstWrite = chars.answer + chars.tool
  }
  marks.lastToken = at
  if (truth.instants.length < keptInstants) truth.instants.push(at)
}

/** The last exchanges, bounded. */
export class TruthRing {
  readonly #size: number
  readonly #byId = new Map<string, ExchangeTruth>()

  constructor(size = 2000) {
    this.#size = size
  }

  /** An id that was used before is replaced. */
  add(truth: ExchangeTruth): void {
    this.#byId.delete(truth.id)
    this.#byId.set(truth.id, truth)
    for (const oldest of this.#byId.keys()) {
      if (this.#byId.size <= this.#size) break
      this.#byId.delete(oldest)
    }
  }

  get(id: string): ExchangeTruth | undefined {
    return this.#byId.get(id)
  }

  /** Oldest first. */
  all(): ExchangeTruth[] {
    return [...this.#byId.values()]
  }
}
