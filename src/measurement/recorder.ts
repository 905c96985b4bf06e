import type { ChunkInstants } from './chunk-instants.ts'
import type { ExchangeIdentity, Marks, StreamMeasurement } from './stream-measurement.ts'

/** A running exchange as others may see it: read it, never write it. Its marks and counts grow while it runs. */
export interface RunningExchange {
  readonly identity: ExchangeIdentity
  readonly marks: Readonly<Marks>
  /** Unicode code points of output so far. */
  readonly chars: number
  /** Chunks so far that held output. */
  readonly outputChunks: number
  /** Upper bound of the lateness of `firstToken`, ms, once there is one. */
  readonly uncertaintyMs: number | undefined
  /** When those chunks came, thinned; `undefined` before the first. */
  readonly chunkInstants: ChunkInstants | undefined
}

/**
 * Who is told of exchanges. Called once or three times an exchange, never once a chunk.
 * A recorder that throws harms nobody: the caller catches, mutes and counts it.
 */
export interface Recorder {
  /** A generation's labels are known and it is about to be sent to the gateway. Not called for what is passed through or refused before that. */
  started(exchange: RunningExchange): void
  /** The first token of a streamed generation came (`marks.firstToken` is set). */
  firstToken(exchange: RunningExchange): void
  /** The exchange is over. Called exactly once for every request, also those never started. */
  ended(measurement: StreamMeasurement, exchange: RunningExchange): void
}
