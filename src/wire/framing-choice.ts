import { ByteStore, type EventSink, type Framing } from './framing.ts'
import { JsonFraming, OpaqueFraming } from './json-framing.ts'
import { contentStart, isJsonSpace, NdjsonFraming } from './ndjson-framing.ts'
import { SseFraming } from './sse-framing.ts'

export type FramingName = 'sse' | 'ndjson' | 'json' | 'opaque'

/** The content types that name a framing; any other says nothing. */
export const framingContentTypes: Readonly<Record<string, FramingName>> = {
  'text/event-stream': 'sse',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'application/x-jsonlines': 'ndjson',
  'application/json': 'json',
}

/** Answers' content types are few, and each is looked at once; the rest are looked at every time. */
const seen = new Map<string, FramingName | undefined>()

/** What the content type says, parameters and case aside. */
export function framingOf(contentType: string | undefined): FramingName | undefined {
  if (contentType === undefined) return undefined
  if (seen.has(contentType)) return seen.get(contentType)
  const name = framingNamed(contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '')
  if (seen.size < 64) seen.set(contentType, name)
  return name
}

function framingNamed(type: string): FramingName | undefined {
  if (Object.hasOwn(framingContentTypes, type)) return framingContentTypes[type]
  if (type.endsWith('+json')) return 'json'
  return /^(audio|image|video)\//.test(type) ? 'opaque' : undefined
}

/** So many bytes of white space and the content type decides alone. */
const longestPrefix = 4096
const fields = ['data', 'event', 'id', 'retry']

/**
 * The framing that the first bytes of a body are in, where they contradict or complete its content type.
 * `undefined`: more bytes are needed; `over`: there are none.
 */
export function sniffFraming(
  named: FramingName | undefined,
  lines: boolean,
  bytes: Buffer,
  length: number,
  over: boolean,
): FramingName | undefined {
  if (named === 'opaque') return 'opaque'
  const fallback = named ?? 'opaque'
  const start = contentStart(bytes, 0, length, true)
  if (start === length) return over || length > longestPrefix ? fallback : undefined
  const first = bytes[start] as number
  if (first === 0xef && length - start < 3 && start === 0 && !over) return undefined
  if (first === 0x7b || first === 0x5b) {
    if (named === 'ndjson') return 'ndjson'
    return lines && first === 0x7b ? sniffLines(bytes, start, length, over) : 'json'
  }
  if (named === 'sse' || first === 0x3a) return 'sse'
  const line = bytes.toString('latin1', start, Math.min(length, start + 6))
  for (const field of fields) {
    if (line.startsWith(`${field}:`)) return 'sse'
    if (!over && `${field}:`.startsWith(line)) return undefined
  }
  return fallback
}

/** A body that cannot be text, whatever its label says. Compressed bodies that lack their Content-Encoding show by their first two bytes. */
function looksBinary(bytes: Buffer, length: number): boolean {
  const start = contentStart(bytes, 0, length, true)
  if (start === length) return false
  const first = bytes[start] as number
  const second = start + 1 < length ? (bytes[start + 1] as number) : 0x20
  // Every framing begins with an ASCII character; after one, UTF-8 has no byte that continues another.
  if (first < 0x20 || first > 0x7e || second > 0xf4) return true
  return second < 0x20 ? !isJsonSpace(second) : second >= 0x7f && second < 0xc2
}

/** Ollama's JSON answers say `done: true`; one line that says `done: false` is the first of a stream, whatever the label. */
function sniffLines(bytes: Buffer, start: number, length: number, over: boolean): FramingName | undefined {
  const end = bytes.subarray(0, length).indexOf(10, start)
  if (end === -1) return over ? 'json' : undefined
  try {
    return JSON.parse(bytes.toString('utf8', start, end)).done === false ? 'ndjson' : 'json'
  } catch {
    return 'json'
  }
}

/** A whole answer may be longer than an event: it holds images or sound, and its usage besides. */
const bodyFactor = 4

/** Holds the first bytes back until they tell the framing, then is that framing. */
export class FramingChoice implements Framing {
  readonly #named: FramingName | undefined
  readonly #lines: boolean
  readonly #limit: number
  readonly #sink: EventSink
  readonly #chosen: (name: FramingName, lied: boolean, binary: boolean) => void
  readonly #held = new ByteStore()
  #framing: Framing | undefined

  /**
   * @param lines the API is one that streams lines (Ollama), so a JSON object may be the first of many
   * @param chosen told once, before any event; `lied`: the content type named another framing; `binary`: it names one, and the body begins as
   *   no text does
   */
  constructor(
    contentType: string | undefined,
    lines: boolean,
    limit: number,
    sink: EventSink,
    chosen: (name: FramingName, lied: boolean, binary: boolean) => void,
  ) {
    this.#named = framingOf(contentType)
    this.#lines = lines
    this.#limit = limit
    this.#sink = sink
    this.#chosen = chosen
  }

  /** HOT PATH: runs once per chunk. */
  push(bytes: Buffer): void {
    if (this.#framing !== undefined) this.#framing.push(bytes)
    else if (bytes.length > 0) this.#hold(bytes)
  }

  end(): void {
    if (this.#framing === undefined) this.#choose(this.#held.bytes, this.#held.length, true)
    this.#framing?.end()
  }

  #hold(bytes: Buffer): void {
    if (this.#held.length === 0 && this.#choose(bytes, bytes.length, false)) return
    this.#held.append(bytes, 0, bytes.length)
    // Waiting for the end of a long first line: looking through all of it at every read would be quadratic.
    if (this.#held.length > longestPrefix && this.#held.length <= this.#limit && bytes.indexOf(10) === -1) return
    this.#choose(this.#held.bytes, this.#held.length, this.#held.length > this.#limit)
  }

  #choose(bytes: Buffer, length: number, over: boolean): boolean {
    const name = sniffFraming(this.#named, this.#lines, bytes, length, over)
    if (name === undefined) return false
    const named = this.#named !== undefined && this.#named !== 'opaque'
    this.#chosen(name, this.#named !== undefined && this.#named !== name, named && looksBinary(bytes, length))
    this.#framing = this.#make(name)
    if (length > 0) this.#framing.push(bytes.subarray(0, length))
    this.#held.clear()
    return true
  }

  #make(name: FramingName): Framing {
    if (name === 'sse') return new SseFraming(this.#sink, this.#limit)
    if (name === 'ndjson') return new NdjsonFraming(this.#sink, this.#limit)
    return name === 'json' ? new JsonFraming(this.#sink, bodyFactor * this.#limit) : new OpaqueFraming()
  }
}
