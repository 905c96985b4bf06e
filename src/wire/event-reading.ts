import type { InputAccounting, ReportedUsage } from '../measurement/usage.ts'

/** What one event was. One object a stream, written anew for each event: copy what you keep. */
export interface EventReading {
  /** It carries output of the phase reasoning. */
  reasoning: boolean
  /** It carries output of the phase answer; an event may be of both phases. */
  answer: boolean
  /** Unicode code points that this event adds. */
  contentChars: number
  reasoningChars: number
  toolChars: number
  /** Generated tokens so far, all of them (wire.md, section 8), by the usage in this very event. */
  outputTokens: number | undefined
}

/** Unicode code points in an answer that came as one whole body. */
export interface WholeBody {
  contentChars: number
  reasoningChars: number
  toolChars: number
}

/** What has been read of an answer so far; it grows. */
export interface AnswerFacts {
  /** True: events (SSE or NDJSON); false: one whole body; `undefined`: not known before the first bytes. */
  streamed: boolean | undefined
  /** The content type named a framing that the bytes are not in. */
  contentTypeLied: boolean
  /** Told at the end: the body was no text, though its content type says so (compressed without a Content-Encoding, most likely). */
  unreadable: boolean
  /** Complete events of any kind but comments; a whole JSON body is one. */
  events: number
  comments: number
  /** Events that are neither JSON nor `[DONE]` nor empty. */
  invalidEvents: number
  /** Events that were longer than the limit and were not read. */
  skippedEvents: number
  /** The end event of definitions.md: for chat and completions a finish reason is enough. */
  endSeen: boolean
  /** The protocol's own closing event alone: `[DONE]`, `message_stop`, `response.completed` and so on, `done: true`. */
  protocolEndSeen: boolean
  /** As reported, at most 64 characters. */
  finishReason: string | undefined
  servedModel: string | undefined
  provider: string | undefined
  /** Label of the first error, at most 64 characters (wire.md, section 8). In a 2xx answer: the answer carried an error. */
  error: string | undefined
  /** Largest choice index seen + 1. */
  choices: number
  /** The last value of each field that was not null. `undefined`: none was reported. */
  usage: ReportedUsage | undefined
  inputAccounting: InputAccounting
  /** Reasoning was streamed by an API that summarises it without counting (Messages). */
  reasoningSummarised: boolean
  /** By the gateway's own `usage.cost`, USD. */
  costUsd: number | undefined
  /** Counts of a body that is not a stream. */
  wholeBody: WholeBody | undefined
}

export function emptyReading(): EventReading {
  return {
    reasoning: false,
    answer: false,
    contentChars: 0,
    reasoningChars: 0,
    toolChars: 0,
    outputTokens: undefined,
  }
}

export function emptyFacts(inputAccounting: InputAccounting): AnswerFacts {
  return {
    streamed: undefined,
    contentTypeLied: false,
    unreadable: false,
    events: 0,
    comments: 0,
    invalidEvents: 0,
    skippedEvents: 0,
    endSeen: false,
    protocolEndSeen: false,
    finishReason: undefined,
    servedModel: undefined,
    provider: undefined,
    error: undefined,
    choices: 0,
    usage: undefined,
    inputAccounting,
    reasoningSummarised: false,
    costUsd: undefined,
    wholeBody: undefined,
  }
}
