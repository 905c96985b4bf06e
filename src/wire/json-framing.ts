import { ByteStore, type EventSink, type Framing } from './framing.ts'
import { contentStart } from './ndjson-framing.ts'

/** A whole JSON body is one event, complete at its end. White space before it (DeepSeek's keep-alive) is not kept. */
export class JsonFraming implements Framing {
  readonly #sink: EventSink
  readonly #limit: number
  readonly #body = new ByteStore()
  #skipped = false

  constructor(sink: EventSink, limit: number) {
    this.#sink = sink
    this.#limit = limit
  }

  /** HOT PATH: runs once per chunk. */
  push(bytes: Buffer): void {
    if (this.#skipped) return
    const start = this.#body.length > 0 ? 0 : contentStart(bytes, 0, bytes.length, true)
    if (this.#body.length + bytes.length - start <= this.#limit) {
      if (start < bytes.length) this.#body.append(bytes, start, bytes.length)
      return
    }
    this.#skipped = true
    this.#body.clear()
    this.#sink.skipped()
  }

  end(): void {
    if (this.#body.length > 0) this.#sink.event(this.#body.bytes, 0, this.#body.length, false)
    this.#body.clear()
  }
}

/** A body of which nothing can be read: text, binary. */
export class OpaqueFraming implements Framing {
  push(): void {}
  end(): void {}
}
