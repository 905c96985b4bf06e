import { gapBuckets } from '../../src/measurement/buckets.ts'
import { GapHistogram } from '../../src/measurement/histogram.ts'
import type { RunningExchange } from '../../src/measurement/recorder.ts'
import type {
  ExchangeIdentity,
  Marks,
  OutputCounts,
  PhaseCounts,
  StreamMeasurement,
} from '../../src/measurement/stream-measurement.ts'

export interface MeasurementChanges extends Partial<Omit<StreamMeasurement, 'identity' | 'marks' | 'output' | 'gaps'>> {
  readonly identity?: Partial<ExchangeIdentity>
  readonly marks?: Partial<Marks>
  readonly output?: Partial<OutputCounts>
  /** Seconds; in place of the one gap the plain stream has between any two chunks. */
  readonly gaps?: readonly number[]
}

let serial = 0

/**
 * A plain chat stream that went well: 100 events of 4 characters in 100 chunks, 101 tokens, first token after 0.5 s, last after 2.5 s. N - N1 is
 * 100, so that it has 50 tokens a second and 0.02 s a token. Say what is different.
 */
export function measurement(changes: MeasurementChanges = {}): StreamMeasurement {
  const { identity, marks, output, gaps, ...rest } = changes
  const all: PhaseCounts = {
    events: 100,
    chunks: 100,
    chars: 400,
    firstChunkEvents: 1,
    firstChunkChars: 4,
    firstChunkTokens: undefined,
  }
  return {
    identity: {
      id: `exchange-${++serial}`,
      traceId: undefined,
      startedAt: 1_796_000_000_000,
      gateway: 'main',
      operation: 'chat',
      app: '',
      model: 'a/b',
      method: 'POST',
      path: '/v1/chat/completions',
      streamAsked: true,
      cacheHints: { cacheControl: 0, promptCacheKey: false },
      ...identity,
    },
    marks: { ...plainMarks, ...marks } as StreamMeasurement['marks'],
    status: 200,
    answered: true,
    streamed: true,
    outcome: 'ok',
    error: undefined,
    finishReason: 'stop',
    servedModel: 'a/b-2026',
    provider: undefined,
    gatewayRequestId: undefined,
    cache: 'unknown',
    decoding: 'plain',
    output: {
      all,
      answer: all,
      bytes: 30_211,
      contentChars: 400,
      reasoningChars: 0,
      toolChars: 0,
      comments: 0,
      invalidEvents: 0,
      skippedEvents: 0,
      endSeen: true,
      choices: 1,
      ...output,
    },
    tokens: { input: 194, cachedInput: undefined, cacheWriteInput: undefined, output: 101, reasoning: undefined },
    reasoningSummarised: false,
    gaps: gapsOf(gaps ?? new Array<number>(99).fill(2 / 99)),
    chunkInstants: undefined,
    pausedMs: 0,
    pausedInWindowMs: 0,
    uncertaintyMs: 0.25,
    resends: 0,
    reportedCostUsd: undefined,
    costUsd: undefined,
    measurementErrors: [],
    ...rest,
  }
}

const plainMarks: Marks = {
  received: 1000,
  bodyReceived: 1000.5,
  dispatched: 1001,
  sent: 1002,
  headers: 1400,
  firstByte: 1401,
  firstEvent: 1401,
  firstReasoning: undefined,
  firstAnswer: 1501,
  firstToken: 1501,
  lastToken: 3501,
  firstTokenForwarded: 1501.5,
  ended: 3510,
}

/** What never came to a first token. */
export const withoutOutput: Pick<MeasurementChanges, 'output' | 'tokens' | 'gaps' | 'servedModel' | 'finishReason'> & {
  readonly marks: Partial<Marks>
} = {
  marks: { firstAnswer: undefined, firstToken: undefined, lastToken: undefined, firstTokenForwarded: undefined },
  output: {
    all: phaseOf(0),
    answer: phaseOf(0),
    contentChars: 0,
    endSeen: false,
    choices: 0,
  },
  tokens: undefined,
  gaps: [],
  servedModel: undefined,
  finishReason: undefined,
}

function phaseOf(events: number): PhaseCounts {
  return {
    events,
    chunks: events,
    chars: events,
    firstChunkEvents: Math.min(1, events),
    firstChunkChars: Math.min(1, events),
    firstChunkTokens: undefined,
  }
}

/** A request that is passed through. */
export function passedThrough(changes: MeasurementChanges = {}): StreamMeasurement {
  return measurement({
    ...withoutOutput,
    streamed: false,
    uncertaintyMs: undefined,
    ...changes,
    identity: {
      operation: undefined,
      model: '',
      method: 'GET',
      path: '/v1/models',
      streamAsked: false,
      ...changes.identity,
    },
    marks: { ...withoutOutput.marks, ...changes.marks },
  })
}

/** The exchange as recorders see it while it runs. */
export function runningExchange(m: StreamMeasurement, marks: Partial<Marks> = {}): RunningExchange {
  return {
    identity: m.identity,
    marks: { ...m.marks, ...marks },
    chars: m.output.all.chars,
    outputChunks: m.output.all.chunks,
    uncertaintyMs: m.uncertaintyMs,
    chunkInstants: m.chunkInstants,
  }
}

function gapsOf(gaps: readonly number[]): GapHistogram {
  const histogram = new GapHistogram(Float64Array.from(gapBuckets))
  for (const gap of gaps) histogram.observe(gap)
  return histogram
}
