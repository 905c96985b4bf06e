import { readError } from './error-label.ts'
import { type AnswerFacts, type EventReading, emptyFacts, emptyReading } from './event-reading.ts'
import { codePoints, countedString, type JsonSpan, numberEnd, spansOf } from './json-strings.ts'
import { codePointsOf } from './loose-json.ts'
import type { WireFormat } from './wire-format.ts'

type Counter = 'contentChars' | 'reasoningChars' | 'toolChars'

/** Values that change from event to event or from answer to answer and that no format looks at, so their keys may stand anywhere. */
export const ignoredKeys: ReadonlySet<string> = new Set([
  ...['id', 'item_id', 'response_id', 'created', 'created_at', 'system_fingerprint', 'obfuscation'],
  ...['sequence_number', 'token_id'],
])

/** An event longer than this is no model for others. */
const longest = 4096

/** Texts put in place of the output to see what becomes of it, and their code points. */
const probes: readonly (readonly [string, number])[] = [
  ['xx', 2],
  ['a\\"\\n\u{1f30a}\\u00e9\\ud83c\\udf0a', 6],
]

/**
 * The bytes of an event that was parsed, with a hole where its output text stands and holes where ignored values stand.
 * Bytes that are the same but in the holes are the same JSON but for those values, so they need not be parsed again.
 */
export class EventTemplate {
  readonly #segments: readonly Buffer[]
  readonly #holes: readonly ('text' | JsonSpan['kind'])[]
  /** Of all segments together; the text is longer than nothing. */
  readonly #length: number
  readonly #counter: Counter
  readonly #reasoning: boolean
  readonly #answer: boolean
  readonly #servedModel: string | undefined
  readonly #provider: string | undefined
  readonly #choices: number
  readonly #summarised: boolean

  private constructor(
    bytes: Buffer,
    holes: readonly Hole[],
    counter: Counter,
    reading: EventReading,
    facts: AnswerFacts,
  ) {
    const edges = [0, ...holes.flatMap((hole) => [hole.start, hole.end]), bytes.length]
    // Copies: what stands in the holes is nobody's to keep.
    this.#segments = [...holes.keys(), holes.length].map((at) =>
      Buffer.from(bytes.subarray(edges[2 * at], edges[2 * at + 1])),
    )
    this.#length = this.#segments.reduce((sum, segment) => sum + segment.length, 0)
    this.#holes = holes.map((hole) => (hole.text ? 'text' : hole.kind))
    this.#counter = counter
    this.#reasoning = reading.reasoning
    this.#answer = reading.answer
    this.#servedModel = facts.servedModel
    this.#provider = facts.provider
    this.#choices = facts.choices
    this.#summarised = facts.reasoningSummarised
  }

  /**
   * HOT PATH: runs once per event. Reads the event, into an empty reading, if it is like this one: true.
   * An event that is taken for a template says who served (which must be what is known already), which choices there are and
   * that reasoning is summarised, and no other fact.
   */
  read(bytes: Buffer, start: number, end: number, reading: EventReading, facts: AnswerFacts): boolean {
    const segments = this.#segments
    const holes = this.#holes
    // The end first: there the events that are not like it (a finish, usage) differ, in the last few bytes.
    const last = segments[holes.length] as Buffer
    const tail = end - last.length
    if (end - start <= this.#length || !endsWith(bytes, end, last)) return false
    let at = start
    let count = 0
    for (let index = 0; index < holes.length; index++) {
      const segment = segments[index] as Buffer
      if (!hasAt(bytes, at, end, segment)) return false
      at += segment.length
      const hole = holes[index]
      at = hole === 'number' ? numberEnd(bytes, at, end) : countedString(bytes, at, end)
      if (at === -1) return false
      if (hole === 'text') count = codePoints
    }
    if (count === 0 || at !== tail) return false
    if (this.#servedModel !== undefined && this.#servedModel !== facts.servedModel) return false
    if (this.#provider !== undefined && this.#provider !== facts.provider) return false
    reading.reasoning = this.#reasoning
    reading.answer = this.#answer
    reading[this.#counter] = count
    if (this.#choices > facts.choices) facts.choices = this.#choices
    if (this.#summarised) facts.reasoningSummarised = true
    return true
  }

  /**
   * Makes a template of an event that was read; `undefined` where it is not fit: no output or more than one text of it,
   * or it says something that a later event may say otherwise (usage, an end, an error).
   */
  static of(data: Buffer, format: WireFormat, reading: EventReading): EventTemplate | undefined {
    const counter = onlyCounter(reading)
    if (counter === undefined || data.length > longest) return undefined
    const bytes = Buffer.from(data)
    const facts = tryReading(bytes.toString(), format, reading)
    if (facts === undefined || facts.usage || facts.costUsd !== undefined || facts.error || facts.finishReason)
      return undefined
    if (facts.endSeen) return undefined
    const spans = spansOf(bytes, 0, bytes.length)
    const ignored = spans.filter((span) => ignoredKeys.has(span.key)).map((span) => ({ ...span, text: false }))
    for (const span of spans) {
      if (span.kind !== 'string' || ignoredKeys.has(span.key)) continue
      if (codePointsOf(JSON.parse(`"${bytes.toString('utf8', span.start, span.end)}"`)) !== reading[counter]) continue
      const holes = [...ignored, { ...span, text: true }].sort((a, b) => a.start - b.start)
      if (holds(bytes, holes, format, reading, counter, facts)) {
        return new EventTemplate(bytes, holes, counter, reading, facts)
      }
    }
    return undefined
  }
}

interface Hole extends JsonSpan {
  readonly text: boolean
}

function hasAt(bytes: Buffer, at: number, end: number, segment: Buffer): boolean {
  const length = segment.length
  if (at + length > end) return false
  // A native call costs as much as comparing some sixty bytes here.
  if (length > 64) return segment.compare(bytes, at, at + length) === 0
  for (let index = 0; index < length; index++) if (bytes[at + index] !== segment[index]) return false
  return true
}

function endsWith(bytes: Buffer, end: number, segment: Buffer): boolean {
  const short = Math.min(segment.length, 16)
  for (let back = 1; back <= short; back++) if (bytes[end - back] !== segment[segment.length - back]) return false
  return short === segment.length || hasAt(bytes, end - segment.length, end, segment)
}

function onlyCounter({ contentChars, reasoningChars, toolChars }: EventReading): Counter | undefined {
  if (contentChars > 0) return reasoningChars + toolChars === 0 ? 'contentChars' : undefined
  if (reasoningChars > 0) return toolChars === 0 ? 'reasoningChars' : undefined
  return toolChars > 0 ? 'toolChars' : undefined
}

/** Whether the output is exactly what stands in the text hole, and nothing else depends on any hole. */
function holds(
  bytes: Buffer,
  holes: readonly Hole[],
  format: WireFormat,
  reading: EventReading,
  counter: Counter,
  facts: AnswerFacts,
): boolean {
  return probes.every(([text, count]) => {
    let filled = ''
    let at = 0
    for (const hole of holes) {
      filled += bytes.toString('utf8', at, hole.start) + (hole.text ? text : hole.kind === 'number' ? '7' : 'zz')
      at = hole.end
    }
    const probed = tryReading(filled + bytes.toString('utf8', at), format, { ...reading, [counter]: count })
    return probed !== undefined && JSON.stringify(probed) === JSON.stringify(facts)
  })
}

/** The facts that an event tells where nothing is known yet; `undefined` where it does not read as expected. */
function tryReading(text: string, format: WireFormat, expected: EventReading): AnswerFacts | undefined {
  const facts = emptyFacts(format.inputAccounting)
  const reading = emptyReading()
  const message = JSON.parse(text)
  readError(message, facts)
  format.readEvent(message, reading, facts)
  return JSON.stringify(reading) === JSON.stringify(expected) ? facts : undefined
}
