import { AnswerReader } from '../../src/wire/answer-reader.ts'
import type { AnswerFacts, EventReading } from '../../src/wire/event-reading.ts'
import type { AnswerAbout, Reference, ReferenceEvent } from './reference-reader.ts'

export interface ReadAnswer {
  readonly events: readonly (EventReading & { readonly read: number })[]
  readonly facts: AnswerFacts
}

/** Reads an answer that comes in these reads; each event with the number of the read that completed it (or of one more: the end). */
export function readAnswer(reads: Iterable<Uint8Array>, about: AnswerAbout, maxEventBytes?: number): ReadAnswer {
  const events: (EventReading & { read: number })[] = []
  let read = 0
  const reader = new AnswerReader({ ...about, ...(maxEventBytes === undefined ? {} : { maxEventBytes }) }, (reading) =>
    events.push({ ...reading, read }),
  )
  for (const bytes of reads) {
    // A framing may keep nothing of a read: a caller is free to use its memory again.
    const copy = Buffer.from(bytes)
    reader.push(copy)
    copy.fill(0x20)
    read++
  }
  reader.end(about.clean)
  return { events, facts: reader.facts }
}

/** The body cut after these positions (any order, any number; those that do not fit are left out). */
export function cut(body: Buffer, positions: readonly number[]): Buffer[] {
  const places = [...new Set(positions.map((at) => at % (body.length + 1)))].sort((a, b) => a - b)
  const ends = [...places, body.length]
  return ends.map((end, at) => body.subarray(at === 0 ? 0 : ends[at - 1], end))
}

/** What a reference says, in the shape of what was read, for reads of these lengths. */
export function expectedOf(reference: Reference, reads: readonly Uint8Array[]): object {
  const ends: number[] = []
  for (const bytes of reads) ends.push((ends.at(-1) ?? 0) + bytes.length)
  const readOf = ({ completedBy }: ReferenceEvent): number => {
    const read = ends.findIndex((end) => completedBy < end)
    return read === -1 ? ends.length : read
  }
  return {
    events: reference.events.map(({ completedBy, ...event }) => ({
      ...event,
      read: readOf({ completedBy, ...event }),
    })),
    facts: reference.facts,
    whole: reference.whole,
  }
}

/** What was read, in the shape of `expectedOf`. */
export function saidOf({ events, facts }: ReadAnswer): object {
  const { wholeBody, usage } = facts
  return {
    events: events.map(({ outputTokens, ...event }) => event),
    facts: {
      streamed: facts.streamed,
      events: facts.events,
      comments: facts.comments,
      invalidEvents: facts.invalidEvents,
      endSeen: facts.endSeen,
      protocolEndSeen: facts.protocolEndSeen,
      finishReason: facts.finishReason,
      servedModel: facts.servedModel,
      provider: facts.provider,
      error: facts.error,
      choices: facts.choices,
      usage: usage && Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== undefined)),
      costUsd: facts.costUsd,
      reasoningSummarised: facts.reasoningSummarised,
    },
    whole: wholeBody && [wholeBody.contentChars, wholeBody.reasoningChars, wholeBody.toolChars],
  }
}
