import type { ChunkInstants } from './chunk-instants.ts'
import type { GapHistogram } from './histogram.ts'
import type { Outcome } from './outcomes.ts'
import type { TokenCounts } from './usage.ts'

/** What is asked of a gateway. `undefined` in a record means: passed through, not a generation. */
export type Operation = 'chat' | 'completions' | 'responses' | 'messages' | 'ollama_chat' | 'ollama_generate'

export const operations: readonly Operation[] = [
  'chat',
  'completions',
  'responses',
  'messages',
  'ollama_chat',
  'ollama_generate',
]

/** Hints in the request's body that the gateway may keep or use a prompt cache. */
export interface CacheHints {
  /** `cache_control` markers, at any depth. */
  readonly cacheControl: number
  readonly promptCacheKey: boolean
}

/** What an exchange is, known before its answer. */
export interface ExchangeIdentity {
  readonly id: string
  /** From the request's `traceparent`. */
  readonly traceId: string | undefined
  /** Wall clock of `received`, ms since the epoch; for people, never for arithmetic. */
  readonly startedAt: number
  /** `''` where the request was refused before a route was known. */
  readonly gateway: string
  readonly operation: Operation | undefined
  readonly app: string
  /** As requested; `unknown` where the body does not tell, `''` for what is passed through. */
  readonly model: string
  readonly method: string
  /** The client's path without app, gateway and query. */
  readonly path: string
  /** The request asked for a stream. */
  readonly streamAsked: boolean
  readonly cacheHints: CacheHints
}

/** Instants on one monotonic clock, in milliseconds. `undefined`: it did not happen (yet). definitions.md, "Marks". */
export interface Marks {
  received: number
  bodyReceived: number | undefined
  /** t0: handed to the HTTP client for the first attempt. */
  dispatched: number | undefined
  sent: number | undefined
  headers: number | undefined
  firstByte: number | undefined
  firstEvent: number | undefined
  firstReasoning: number | undefined
  firstAnswer: number | undefined
  firstToken: number | undefined
  lastToken: number | undefined
  firstTokenForwarded: number | undefined
  ended: number | undefined
}

/** Counts of output events (E, C and their share in the first chunk that holds one). */
export interface PhaseCounts {
  /** E: output events. */
  readonly events: number
  /** Chunks that hold at least one. */
  readonly chunks: number
  /** C: Unicode code points. */
  readonly chars: number
  /** E1 and C1: those in the first such chunk. */
  readonly firstChunkEvents: number
  readonly firstChunkChars: number
  /** Cumulative usage at the end of the first such chunk, where every output event carried usage. */
  readonly firstChunkTokens: number | undefined
}

/** What was counted while the answer passed. */
export interface OutputCounts {
  /** Both phases together. */
  readonly all: PhaseCounts
  /** Answer events alone: for rates where the reasoning came as a summary. */
  readonly answer: PhaseCounts
  /** The body's bytes before decoding. */
  readonly bytes: number
  readonly contentChars: number
  readonly reasoningChars: number
  readonly toolChars: number
  readonly comments: number
  readonly invalidEvents: number
  readonly skippedEvents: number
  /** The answer's end event was seen; for chat and completions a finish reason is enough. */
  readonly endSeen: boolean
  /** Number of choices seen: the largest index + 1. */
  readonly choices: number
}

/** `hit`: cached tokens were reported; `response`: the gateway answered from a cache of whole answers. */
export type CacheState = 'hit' | 'miss' | 'response' | 'unknown'

/** How the meter could read the body: as it is, by decoding a copy, or not at all. */
export type Decoding = 'plain' | 'decoded' | 'not_decoded'

/** One exchange, complete and frozen. Every figure is derived from this record alone. */
export interface StreamMeasurement {
  readonly identity: ExchangeIdentity
  readonly marks: Readonly<Marks> & { readonly ended: number }
  /** `undefined`: no answer was sent to the client. */
  readonly status: number | undefined
  /** The status is the gateway's own (not an error made by the proxy). */
  readonly answered: boolean
  /** The answer came as a stream of events; without an answer: a stream was asked. */
  readonly streamed: boolean
  readonly outcome: Outcome
  /** A short label, at most 64 characters. */
  readonly error: string | undefined
  readonly finishReason: string | undefined
  readonly servedModel: string | undefined
  readonly provider: string | undefined
  readonly gatewayRequestId: string | undefined
  readonly cache: CacheState
  readonly decoding: Decoding
  readonly output: OutputCounts
  /** `undefined`: no usage was reported. */
  readonly tokens: TokenCounts | undefined
  /** The reasoning that was streamed is a summary by an API that does not count it. */
  readonly reasoningSummarised: boolean
  /** Gaps between successive chunks that complete an output event; those that hold a pause of 5 ms or more are left out. */
  readonly gaps: GapHistogram
  /** When chunks with output came, thinned: for pictures. `undefined`: none came. */
  readonly chunkInstants: ChunkInstants | undefined
  /** Milliseconds for which the gateway was paused because the client did not read: in all, and between first and last token. */
  readonly pausedMs: number
  readonly pausedInWindowMs: number
  /** Upper bound of the lateness of `firstToken`, ms. */
  readonly uncertaintyMs: number | undefined
  readonly resends: number
  /** Reported by the gateway, USD. */
  readonly reportedCostUsd: number | undefined
  /** Cost in USD: the gateway's own figure, else by the price table; `undefined` where neither is known. */
  readonly costUsd: number | undefined
  /** Where measuring broke, if it did. */
  readonly measurementErrors: readonly MeasurementStage[]
}

export type MeasurementStage = 'framing' | 'json' | 'decode' | 'skipped' | 'observer'

export const measurementStages: readonly MeasurementStage[] = ['framing', 'json', 'decode', 'skipped', 'observer']
