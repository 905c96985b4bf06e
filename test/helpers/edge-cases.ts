import type { PhaseCounts } from '../../src/measurement/stream-measurement.ts'
import { type MeasurementChanges, withoutOutput } from './measurement.ts'

const counts = (events: number, chunks = events, chars = events * 4): PhaseCounts => ({
  events,
  chunks,
  chars,
  firstChunkEvents: Math.ceil(events / chunks),
  firstChunkChars: Math.ceil(chars / chunks),
  firstChunkTokens: undefined,
})

const none = counts(0, 1, 0)
const tokens = (output: number, reasoning?: number) => ({
  input: 10,
  cachedInput: undefined,
  cacheWriteInput: undefined,
  output,
  reasoning,
})
const oneChunk = (events: number, chars: number): MeasurementChanges => ({
  marks: { lastToken: 1501 },
  output: { all: counts(events, 1, chars), answer: counts(events, 1, chars), contentChars: chars },
  gaps: [],
})

/** A stream for each row of the edge-case table of docs/measuring.md, by the row's first cell: what differs from a plain one that went well. */
export const edgeCases: Readonly<Record<string, MeasurementChanges>> = {
  'a stream that went well': {},
  'one token': { ...oneChunk(1, 4), tokens: tokens(1) },
  'ten tokens in ten chunks': { output: { all: counts(10), answer: counts(10), contentChars: 40 }, tokens: tokens(10) },
  'no output: empty, filtered, a finish reason alone': { ...withoutOutput, outcome: 'ok' },
  'a long answer in one chunk': oneChunk(100, 400),
  'a short answer or a tool call in one chunk': {
    marks: { lastToken: 1501 },
    output: { all: counts(2, 1, 300), answer: counts(2, 1, 300), contentChars: 0, toolChars: 300 },
    gaps: [],
  },
  'under 50 ms from first to last token': { marks: { firstToken: 1101, firstAnswer: 1101, lastToken: 1131 } },
  'not streamed, also where a stream was asked for': { ...withoutOutput, streamed: false, tokens: tokens(101) },
  'tool calls only': { output: { contentChars: 0, toolChars: 400 } },
  'reasoning only, cut by `max_tokens`': {
    marks: { firstReasoning: 1501, firstAnswer: undefined },
    output: { answer: none, contentChars: 0, reasoningChars: 400 },
    tokens: tokens(101, 101),
  },
  'hidden reasoning': { tokens: tokens(201, 100) },
  'a summary of counted reasoning': {
    marks: { firstReasoning: 1501, firstAnswer: 2001 },
    output: { all: counts(110), answer: counts(100), reasoningChars: 40 },
    tokens: tokens(401, 300),
  },
  'a summary of reasoning that is not counted': { reasoningSummarised: true, output: { reasoningChars: 40 } },
  'several choices (`n` > 1)': { output: { choices: 2 } },
  'fewer tokens than output events': { tokens: tokens(99) },
  'no usage': { tokens: undefined },
  'an error before the first token': { ...withoutOutput, outcome: 'stream_error', error: 'overloaded' },
  'an error, a reset or a cut after the first token': { outcome: 'gateway_error', error: 'reset' },
  'the client leaves before the first token': { ...withoutOutput, outcome: 'client_abort' },
  'the client leaves after the first token': { outcome: 'client_abort' },
  'the client leaves after the end event': { outcome: 'ok' },
  'the client reads slowly': { pausedMs: 60, pausedInWindowMs: 60 },
  'a content coding that cannot be read': { ...withoutOutput, outcome: 'ok', decoding: 'not_decoded' },
}
