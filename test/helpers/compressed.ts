import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'

/** A body in a coding (`raw deflate`: without zlib's header), flushed after each part: a piece a part, and the end with the last. */
export async function compressedPieces(coding: string, parts: readonly string[]): Promise<Buffer[]> {
  let pieces: Buffer[] = parts.map((part) => Buffer.from(part))
  for (const layer of coding.toLowerCase().split(',')) pieces = await through(layer.trim(), pieces)
  return pieces
}

async function through(layer: string, parts: readonly Buffer[]): Promise<Buffer[]> {
  if (layer === 'identity') return [...parts]
  const stream = compressor(layer)
  const flush = layer === 'br' ? zlib.constants.BROTLI_OPERATION_FLUSH : zlib.constants.Z_SYNC_FLUSH
  const pieces: Buffer[] = []
  let current: Buffer[] = []
  stream.on('data', (bytes: Buffer) => current.push(bytes))
  for (const part of parts) {
    stream.write(part)
    await new Promise<void>((resolve) => (stream as unknown as zlib.Gzip).flush(flush, () => resolve()))
    pieces.push(Buffer.concat(current))
    current = []
  }
  await new Promise((resolve) => stream.once('end', resolve).end())
  pieces.push(Buffer.concat([pieces.pop() as Buffer, ...current]))
  return pieces
}

function compressor(layer: string): Transform {
  switch (layer) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGzip()
    case 'deflate':
      return zlib.createDeflate()
    case 'raw deflate':
      return zlib.createDeflateRaw()
    case 'br':
      return zlib.createBrotliCompress()
    default:
      throw new Error(`no compressor for ${layer}`)
  }
}

/** A zstd frame whose one block is stored as it is (RFC 8878, section 3.1.1): Node 20 has no compressor. At most 128 KiB. */
export function storedZstd(body: string | Buffer): Buffer {
  const bytes = Buffer.from(body as string)
  // Single segment, content size in four bytes.
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0])
  header.writeUInt32LE(bytes.length, 5)
  const block = Buffer.alloc(3)
  block.writeUIntLE((bytes.length << 3) | 1, 0, 3)
  return Buffer.concat([header, block, bytes])
}
