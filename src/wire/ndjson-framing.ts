import { ByteStore, type EventSink, type Framing } from './framing.ts'

const lf = 10

/** One JSON value a line, as Ollama's own API sends it. Empty lines are nothing; a CR before the LF is white space to JSON. */
export class NdjsonFraming implements Framing {
  readonly #sink: EventSink
  readonly #limit: number
  /** Begin of a line whose end has not come. */
  readonly #line = new ByteStore()
  #skipping = false
  #firstLine = true

  constructor(sink: EventSink, limit: number) {
    this.#sink = sink
    this.#limit = limit
  }

  /** HOT PATH: runs once per chunk. */
  push(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length) {
      const end = bytes.indexOf(lf, at)
      if (end === -1) {
        this.#keep(bytes, at, bytes.length)
        return
      }
      if (this.#line.length > 0 || this.#skipping) {
        this.#keep(bytes, at, end)
        if (!this.#skipping) this.#readLine(this.#line.bytes, 0, this.#line.length, true)
        this.#line.clear()
        this.#skipping = false
      } else if (end - at > this.#limit) this.#sink.skipped()
      else this.#readLine(bytes, at, end, true)
      at = end + 1
    }
  }

  end(): void {
    if (this.#line.length > 0) this.#readLine(this.#line.bytes, 0, this.#line.length, false)
    this.#line.clear()
  }

  #readLine(bytes: Buffer, from: number, to: number, complete: boolean): void {
    const start = contentStart(bytes, from, to, this.#firstLine)
    this.#firstLine = false
    if (start === to) return
    if (complete) this.#sink.event(bytes, start, to, false)
    else this.#sink.unfinished(bytes, start, to, false)
  }

  #keep(bytes: Buffer, start: number, end: number): void {
    if (this.#skipping) return
    if (this.#line.length + end - start <= this.#limit) {
      this.#line.append(bytes, start, end)
      return
    }
    this.#skipping = true
    this.#line.clear()
    this.#sink.skipped()
  }
}

/** Index of the first byte that is neither JSON white space nor, where `first`, a byte order mark; or `end`. */
export function contentStart(bytes: Buffer, from: number, end: number, first: boolean): number {
  let start = from
  if (first && end - start >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf)
    start += 3
  while (start < end && isJsonSpace(bytes[start] as number)) start++
  return start
}

export function isJsonSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
