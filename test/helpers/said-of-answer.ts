import type { Operation } from '../../src/measurement/stream-measurement.ts'
import type { AnswerFacts, EventReading } from '../../src/wire/event-reading.ts'
import { readAnswer } from './read-answer.ts'

export interface Said {
  readonly facts: AnswerFacts
  readonly events: readonly EventReading[]
  /** Of each event: `r` reasoning, `a` answer, `ra` both, `-` no output. */
  readonly phases: string
  /** Content, reasoning and tool characters of all events, or of the whole body. */
  readonly chars: readonly [number, number, number]
  /** The usage figures that were reported. */
  readonly usage: object | undefined
}

/** Reads a stream of these events (objects as JSON, text as it stands), SSE or, of Ollama's API, lines. */
export function saidOfEvents(operation: Operation, events: readonly unknown[], clean = true): Said {
  const lines = operation.startsWith('ollama')
  const texts = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)))
  const body = texts.map((text) => (lines ? `${text}\n` : `data: ${text}\n\n`)).join('')
  return saidOf(operation, body, lines ? 'application/x-ndjson' : 'text/event-stream', clean)
}

/** Reads a whole body. */
export function saidOfBody(operation: Operation, body: unknown): Said {
  return saidOf(operation, typeof body === 'string' ? body : JSON.stringify(body), 'application/json', true)
}

export function saidOf(operation: Operation, body: string | Buffer, contentType: string, clean: boolean): Said {
  const { events, facts } = readAnswer([typeof body === 'string' ? Buffer.from(body) : body], {
    operation,
    status: 200,
    contentType,
    clean,
  })
  const total = (counter: 'contentChars' | 'reasoningChars' | 'toolChars'): number =>
    facts.wholeBody?.[counter] ?? events.reduce((sum, event) => sum + event[counter], 0)
  return {
    facts,
    events,
    phases: events.map((event) => `${event.reasoning ? 'r' : ''}${event.answer ? 'a' : ''}` || '-').join(' '),
    chars: [total('contentChars'), total('reasoningChars'), total('toolChars')],
    usage: facts.usage && Object.fromEntries(Object.entries(facts.usage).filter(([, count]) => count !== undefined)),
  }
}
