import { once } from 'node:events'
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { createContentDecoder, type DecodingLimits } from '../../src/stream/content-decoding.ts'

export interface Decoded {
  /** What came out, by the serial of the chunk that completed it. */
  readonly byChunk: Map<number, string>
  readonly text: string
  readonly bytes: number
  readonly failed: boolean
}

/** Decodes chunks, numbered from 0, all pushed at once or each only when the one before is decoded. */
export async function decode(
  coding: string,
  chunks: readonly Uint8Array[],
  limits: DecodingLimits = {},
): Promise<Decoded> {
  const parts: { chunk: number; bytes: Buffer }[] = []
  const failed = await new Promise<boolean>((resolve) => {
    const decoder = createContentDecoder(
      coding,
      { onDecoded: (bytes, chunk) => parts.push({ chunk, bytes: Buffer.from(bytes) }), onDone: resolve },
      limits,
    )
    if (typeof decoder === 'string') throw new Error(`${coding}: ${decoder}`)
    chunks.forEach((bytes, chunk) => {
      decoder.push(bytes, chunk)
    })
    decoder.end()
  })
  const byChunk = new Map<number, Buffer>()
  for (const { chunk, bytes } of parts)
    byChunk.set(chunk, Buffer.concat([byChunk.get(chunk) ?? Buffer.alloc(0), bytes]))
  const all = Buffer.concat(parts.map(({ bytes }) => bytes))
  return {
    byChunk: new Map([...byChunk].map(([chunk, bytes]) => [chunk, bytes.toString()])),
    text: all.toString(),
    bytes: all.length,
    failed,
  }
}

const zstd = zlib as { createZstdCompress?: () => Transform }

/** Makers of compressors, by coding; `deflate-raw` is sent under the name `deflate`. */
export const compressors: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGzip(),
  deflate: () => zlib.createDeflate(),
  'deflate-raw': () => zlib.createDeflateRaw(),
  br: () => zlib.createBrotliCompress(),
  ...(zstd.createZstdCompress === undefined ? {} : { zstd: zstd.createZstdCompress }),
}

/** Compresses texts, flushed after each; a last chunk holds the coding's end. */
export async function compress(coding: string, texts: readonly (string | Uint8Array)[]): Promise<Buffer[]> {
  const stream = compressors[coding]?.()
  if (stream === undefined) throw new Error(`no compressor for ${coding}`)
  let parts: Buffer[] = []
  stream.on('data', (bytes: Buffer) => parts.push(bytes))
  const chunks: Buffer[] = []
  const take = (): void => {
    while (stream.read() !== null);
    chunks.push(Buffer.concat(parts))
    parts = []
  }
  for (const text of texts) {
    stream.write(text)
    await new Promise<void>((resolve) => (stream as unknown as zlib.Gzip).flush(resolve))
    take()
  }
  const ended = once(stream, 'end')
  stream.end()
  await ended
  take()
  return chunks
}

/** The name under which a coding of `compressors` stands in `Content-Encoding`. */
export function headerOf(coding: string): string {
  return coding === 'deflate-raw' ? 'deflate' : coding
}
