import { ByteStore, type EventSink, type Framing } from './framing.ts'

const lf = 10
const cr = 13
const lineFeed = Buffer.from('\n')

/**
 * Server-sent events by the rules of the WHATWG: lines end in LF, CR or CRLF in any mixture, and an event is complete at
 * the byte that ends its blank line, a CR too.
 *
 * Data that lie on one line of one read (nearly all) are handed on where they lie; only what spans reads is copied.
 */
export class SseFraming implements Framing {
  readonly #sink: EventSink
  readonly #limit: number
  /** Begin of a line whose end has not come. */
  readonly #line = new ByteStore()
  /** Such a line went over the limit and is no longer kept. */
  #lineDropped = false
  #firstLine = true
  /** The last byte was a CR: an LF that follows belongs to it. */
  #afterCr = false
  /** Data lines of the event so far. */
  #dataLines = 0
  /** Where the data of the only data line lie in this read; -1: in `#data`. */
  #start = -1
  #end = 0
  readonly #data = new ByteStore()
  #namedError = false
  #skipping = false

  constructor(sink: EventSink, limit: number) {
    this.#sink = sink
    this.#limit = limit
  }

  /** HOT PATH: runs once per chunk. */
  push(bytes: Buffer): void {
    const length = bytes.length
    if (length === 0) return
    let at = this.#afterCr && bytes[0] === lf ? 1 : 0
    this.#afterCr = false
    const mixed = bytes.indexOf(cr, at) !== -1
    while (at < length) {
      const end = bytes[at] === lf ? at : mixed ? lineEnd(bytes, at) : bytes.indexOf(lf, at)
      if (end === -1) {
        this.#keep(bytes, at)
        break
      }
      if (this.#line.length > 0 || this.#lineDropped) this.#finishLine(bytes, at, end)
      else this.#readLine(bytes, at, end)
      at = end + 1
      if (mixed && bytes[end] === cr) {
        if (at === length) this.#afterCr = true
        else if (bytes[at] === lf) at++
      }
    }
    if (this.#start !== -1) this.#moveData(bytes)
  }

  /** An event that lacks its blank line, even the end of its data line, is handed on as unfinished. */
  end(): void {
    const line = this.#line
    if (line.length > 0 && isData(line.bytes, skipMark(line.bytes, 0, line.length, this.#firstLine), line.length)) {
      this.#finishLine(line.bytes, 0, 0)
    }
    if (this.#dataLines > 0 && !this.#skipping) {
      this.#sink.unfinished(this.#data.bytes, 0, this.#data.length, this.#namedError)
    }
    this.#line.clear()
    this.#forget()
  }

  #readLine(bytes: Buffer, from: number, end: number): void {
    let start = from
    if (this.#firstLine) {
      start = skipMark(bytes, from, end, true)
      this.#firstLine = false
    }
    if (start === end) this.#dispatch(bytes)
    else if (isData(bytes, start, end)) this.#readData(bytes, valueStart(bytes, start + 4, end), end)
    else if (bytes[start] === 0x3a) this.#sink.comment()
    else if (bytes[start] === 0x65) this.#readName(bytes, start, end)
  }

  #readData(bytes: Buffer, start: number, end: number): void {
    if (this.#skipping) return
    if (end - start + (this.#start === -1 ? this.#data.length : this.#end - this.#start) > this.#limit) {
      this.#skip()
      return
    }
    if (this.#dataLines++ === 0) {
      this.#start = start
      this.#end = end
      return
    }
    if (this.#start !== -1) this.#moveData(bytes)
    this.#data.append(lineFeed, 0, 1)
    this.#data.append(bytes, start, end)
  }

  #readName(bytes: Buffer, start: number, end: number): void {
    if (end - start < 5 || bytes.toString('latin1', start, start + 5) !== 'event') return
    if (end - start > 5 && bytes[start + 5] !== 0x3a) return
    const value = valueStart(bytes, start + 5, end)
    this.#namedError = end - value === 5 && bytes.toString('latin1', value, end) === 'error'
  }

  #dispatch(bytes: Buffer): void {
    if (this.#dataLines > 0 && !this.#skipping) {
      if (this.#start !== -1) this.#sink.event(bytes, this.#start, this.#end, this.#namedError)
      else this.#sink.event(this.#data.bytes, 0, this.#data.length, this.#namedError)
    }
    this.#forget()
  }

  #forget(): void {
    this.#skipping = false
    this.#namedError = false
    this.#dataLines = 0
    this.#start = -1
    if (this.#data.length > 0) this.#data.clear()
  }

  /** The read is over, or a second line follows: the data must be kept. */
  #moveData(bytes: Buffer): void {
    this.#data.append(bytes, this.#start, this.#end)
    this.#start = -1
  }

  #skip(): void {
    this.#skipping = true
    this.#start = -1
    this.#data.clear()
    this.#sink.skipped()
  }

  #keep(bytes: Buffer, start: number): void {
    if (this.#lineDropped) return
    const line = this.#line
    if (line.length + bytes.length - start <= this.#limit + 16) {
      line.append(bytes, start, bytes.length)
      return
    }
    // The field's name decides whether an event is lost or only a comment or an unknown field.
    line.append(bytes, start, Math.min(bytes.length, start + 16))
    const first = skipMark(line.bytes, 0, line.length, this.#firstLine)
    if (line.bytes[first] === 0x3a) this.#sink.comment()
    else if (!this.#skipping && isData(line.bytes, first, line.length)) this.#skip()
    this.#firstLine = false
    this.#lineDropped = true
    line.clear()
  }

  /** The rest of a line that began in an earlier read. */
  #finishLine(bytes: Buffer, start: number, end: number): void {
    if (this.#lineDropped) {
      this.#lineDropped = false
      return
    }
    const line = this.#line
    if (end > start) line.append(bytes, start, end)
    this.#readLine(line.bytes, 0, line.length)
    if (this.#start !== -1) this.#moveData(line.bytes)
    line.clear()
  }
}

/** Index of the next LF or CR from `at` on, or -1. */
function lineEnd(bytes: Buffer, at: number): number {
  for (let index = at; index < bytes.length; index++) {
    const byte = bytes[index]
    if (byte === lf || byte === cr) return index
  }
  return -1
}

/** The field name is `data`: followed by a colon, or the whole line. */
function isData(bytes: Buffer, start: number, end: number): boolean {
  return (
    bytes[start] === 0x64 &&
    end - start >= 4 &&
    bytes[start + 1] === 0x61 &&
    bytes[start + 2] === 0x74 &&
    bytes[start + 3] === 0x61 &&
    (end - start === 4 || bytes[start + 4] === 0x3a)
  )
}

/** Begin of a field's value: after the colon and one space. */
function valueStart(bytes: Buffer, colon: number, end: number): number {
  if (colon >= end) return end
  return colon + 1 < end && bytes[colon + 1] === 0x20 ? colon + 2 : colon + 1
}

/** A byte order mark may precede the first line. */
function skipMark(bytes: Buffer, start: number, end: number, firstLine: boolean): number {
  const marked = firstLine && end - start >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbb
  return marked && bytes[start + 2] === 0xbf ? start + 3 : start
}
