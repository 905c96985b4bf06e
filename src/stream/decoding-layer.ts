import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'

/** Raw or with zlib's header: senders mean either by `deflate`. A raw stream never begins with these four bits. */
function createInflate(first: number): Transform {
  return (first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()
}

type Make = (first: number) => Transform

// Only Node 22.15 and later have it.
const createZstd = (zlib as { createZstdDecompress?: () => Transform }).createZstdDecompress

const makers: Readonly<Record<string, Make>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: createInflate,
  br: () => zlib.createBrotliDecompress(),
  ...(createZstd === undefined ? {} : { zstd: () => createZstd() }),
}

const nothing = (): void => {}

/** One content coding taken off, a write at a time. */
export class DecodingLayer {
  static readonly codings: readonly string[] = Object.keys(makers)

  readonly #make: Make
  #stream: Transform | undefined
  /** The coded stream's own end came, or it is corrupt, or nobody wants more: what is written is ignored. */
  #over = false
  #onOutput: (bytes: Uint8Array) => void = nothing
  #onWritten: ((failed: boolean) => void) | undefined

  /** @param coding one of `codings` */
  constructor(coding: string) {
    this.#make = makers[coding] as Make
  }

  /**
   * Decodes bytes (at least one) as far as they go; a sender's flush is enough for all that went before it.
   * @param onOutput called for each piece of output, before `onWritten`
   * @param onWritten called once; `failed`: the bytes are corrupt
   */
  write(bytes: Uint8Array, onOutput: (bytes: Uint8Array) => void, onWritten: (failed: boolean) => void): void {
    if (this.#over) {
      onWritten(false)
      return
    }
    this.#onOutput = onOutput
    this.#onWritten = onWritten
    this.#stream ??= this.#open(bytes[0] as number)
    const stream = this.#stream
    stream.write(bytes, (error) => {
      if (error) return
      // Output that the stream has buffered rather than emitted belongs to this write all the same; `read` emits it.
      while (stream.read() !== null);
      this.#written(false)
    })
  }

  close(): void {
    this.#over = true
    this.#stream?.destroy()
    this.#written(false)
  }

  #open(first: number): Transform {
    const stream = this.#make(first)
    stream.on('data', (bytes: Uint8Array) => this.#onOutput(bytes))
    stream.on('error', () => {
      this.#over = true
      this.#written(true)
    })
    // zlib saw its end and leaves the rest of the write unread; that write's callback never comes.
    stream.on('end', () => {
      this.#over = true
      this.#written(false)
    })
    return stream
  }

  #written(failed: boolean): void {
    const onWritten = this.#onWritten
    this.#onWritten = undefined
    onWritten?.(failed)
  }
}
