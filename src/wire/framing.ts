/** Who is handed what a framing cuts out. `bytes` belong to the framing: they hold only during the call. */
export interface EventSink {
  /** A complete event's data, `bytes[start, end)`. `namedError`: SSE named the event `error`. */
  event(bytes: Buffer, start: number, end: number, namedError: boolean): void
  /** Data at the end of the answer that lack what would have completed them. */
  unfinished(bytes: Buffer, start: number, end: number, namedError: boolean): void
  comment(): void
  /** An event went over the limit: its bytes are dropped until its end. Told once an event, when it is dropped. */
  skipped(): void
}

/** Cuts a body, however its reads fall, into events. Never throws, keeps at most a few times the limit, never changes a byte. */
export interface Framing {
  /** HOT PATH: runs once per chunk. */
  push(bytes: Buffer): void
  /** The body is over. */
  end(): void
}

/** Bytes kept of events that span reads. Grows by doubling, so that an event of many reads is copied a bounded number of times. */
export class ByteStore {
  bytes: Buffer = noBytes
  length = 0

  append(source: Buffer, start: number, end: number): void {
    const length = this.length + end - start
    if (length > this.bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(512, length, this.bytes.length * 2))
      this.bytes.copy(grown, 0, 0, this.length)
      this.bytes = grown
    }
    source.copy(this.bytes, this.length, start, end)
    this.length = length
  }

  /** Forgets the bytes; large memory is given back, as thousands of streams may each have had one large event. */
  clear(): void {
    this.length = 0
    if (this.bytes.length > 65536) this.bytes = noBytes
  }
}

const noBytes = Buffer.alloc(0)
