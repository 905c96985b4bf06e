import { DecodingLayer } from './decoding-layer.ts'

/** Decodes a compressed body beside its way to the client. Each decoded byte bears the serial of the chunk that completed it. */
export interface ContentDecoder {
  /**
   * HOT PATH: runs once per chunk; only puts it in a queue. The bytes are not copied: they must stay as they are.
   * @param chunk serial of the chunk, handed back with what it completes
   */
  push(bytes: Uint8Array, chunk: number): void
  /** No more input. `onDone` is called once, after everything was handed out or given up. */
  end(): void
}

export interface DecodingSink {
  /** In order, in later turns of the event loop. One that throws ends the decoding as failed. */
  onDecoded(bytes: Uint8Array, chunk: number): void
  /**
   * Called once, never inside `end()`.
   * @param failed the body is corrupt or went over a limit, so that some of it was not handed out. A body that is only
   *   cut short has not failed: all that came of it was handed out
   */
  onDone(failed: boolean): void
}

export interface DecodingLimits {
  /** Compressed bytes that may wait to be decoded. Default 4 MiB. */
  backlogBytes?: number
  /** Decoded bytes that any body may have. Default 16 MiB. */
  decodedBytes?: number
  /** Decoded bytes that a body may have beyond that for each compressed one. Default 200: a bomb has up to 1000 and more. */
  ratio?: number
}

/** Codings that can be decoded, by the names that stand in `Content-Encoding`. */
export const contentCodings: readonly string[] = DecodingLayer.codings

/** Nobody needs more, and each costs memory. */
const mostLayers = 4

/** A decoder for a `Content-Encoding`; `identity`: there is nothing to decode; `unknown`: a coding that is not known. */
export function createContentDecoder(
  contentEncoding: string,
  sink: DecodingSink,
  limits: DecodingLimits = {},
): ContentDecoder | 'identity' | 'unknown' {
  const codings = contentEncoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length === 0) return 'identity'
  if (codings.length > mostLayers || !codings.every((coding) => contentCodings.includes(coding))) return 'unknown'
  // The last coding named was put on last and comes off first.
  return new QueuedDecoder(codings.reverse(), sink, limits)
}

/** Larger chunks are decoded in pieces: where a body turns out corrupt, zlib drops what it had decoded of a piece. */
const pieceBytes = 1024

class QueuedDecoder implements ContentDecoder {
  readonly #layers: readonly DecodingLayer[]
  readonly #sink: DecodingSink
  readonly #limits: Required<DecodingLimits>
  #queue: { bytes: Uint8Array; chunk: number }[] = []
  /** What of the queue's first chunk is decoded. */
  #at = 0
  #backlog = 0
  #compressed = 0
  #decoded = 0
  #busy = false
  #ended = false
  #failed = false
  #done = false

  constructor(codings: readonly string[], sink: DecodingSink, limits: DecodingLimits) {
    this.#layers = codings.map((coding) => new DecodingLayer(coding))
    this.#sink = sink
    this.#limits = { backlogBytes: 4_194_304, decodedBytes: 16_777_216, ratio: 200, ...limits }
  }

  push(bytes: Uint8Array, chunk: number): void {
    if (this.#failed || this.#ended || bytes.length === 0) return
    this.#queue.push({ bytes, chunk })
    this.#backlog += bytes.length
    if (this.#backlog > this.#limits.backlogBytes) this.#fail()
    else this.#pump()
  }

  end(): void {
    this.#ended = true
    if (!this.#busy) this.#finish()
  }

  /** One piece at a time: what comes out before it is done is what it completed. */
  #pump(): void {
    while (!this.#busy && !this.#failed) {
      const first = this.#queue[0]
      if (first === undefined) break
      const piece = first.bytes.subarray(this.#at, this.#at + pieceBytes)
      this.#at += piece.length
      if (this.#at === first.bytes.length) {
        this.#queue.shift()
        this.#at = 0
      }
      this.#backlog -= piece.length
      this.#compressed += piece.length
      this.#busy = true
      let returned = false
      this.#decode(0, piece, first.chunk, () => {
        this.#busy = false
        if (returned) this.#pump()
      })
      returned = true
    }
    if (!this.#busy && this.#ended) this.#finish()
  }

  /** Puts bytes through a layer and all that follow it, then calls `next`. */
  #decode(index: number, bytes: Uint8Array, chunk: number, next: () => void): void {
    const layer = this.#layers[index]
    if (layer === undefined) {
      this.#handOut(bytes, chunk)
      next()
      return
    }
    const last = index === this.#layers.length - 1
    const outputs: Uint8Array[] = []
    layer.write(
      bytes,
      (output) => {
        if (!this.#count(output.length)) return
        if (last) this.#handOut(output, chunk)
        else outputs.push(output)
      },
      (failed) => {
        const through = (): void => {
          const output = this.#failed ? undefined : outputs.shift()
          if (output !== undefined) this.#decode(index + 1, output, chunk, through)
          else {
            if (failed) this.#fail()
            next()
          }
        }
        through()
      },
    )
  }

  /** Every layer's output counts, so that layers cannot multiply a bomb. */
  #count(bytes: number): boolean {
    if (this.#failed) return false
    this.#decoded += bytes
    if (this.#decoded <= this.#limits.decodedBytes + this.#limits.ratio * this.#compressed) return true
    this.#fail()
    return false
  }

  #handOut(bytes: Uint8Array, chunk: number): void {
    if (this.#failed) return
    try {
      this.#sink.onDecoded(bytes, chunk)
    } catch {
      this.#fail()
    }
  }

  #fail(): void {
    this.#failed = true
    this.#queue = []
    for (const layer of this.#layers) layer.close()
  }

  #finish(): void {
    if (this.#done) return
    this.#done = true
    for (const layer of this.#layers) layer.close()
    queueMicrotask(() => this.#sink.onDone(this.#failed))
  }
}
