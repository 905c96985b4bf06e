import * as zlib from 'node:zlib'
import { brotliDecompress, gunzip, type InputType, inflate, inflateRaw } from 'node:zlib'
import type { Operation } from '../measurement/stream-measurement.ts'
import type { RequestLabels } from './exchange-identity.ts'
import { scanRequest } from './request-scan.ts'

/** Of a compressed request no more than this is decoded, for its labels alone: it is forwarded as it came. */
const mostDecodedBytes = 8 * 2 ** 20
const mostCompressedBytes = 4 * 2 ** 20
const empty = Buffer.alloc(0)

type Decompress = (
  input: InputType,
  options: { maxOutputLength: number },
  done: (error: Error | null, output: Buffer) => void,
) => void

const decompressors: Readonly<Record<string, Decompress | undefined>> = {
  gzip: gunzip as Decompress,
  'x-gzip': gunzip as Decompress,
  // Senders mean either form by it; a raw stream never begins with these four bits.
  deflate: (input, options, done) =>
    (((input as Buffer)[0] ?? 0) & 0x0f) === 8
      ? (inflate as Decompress)(input, options, done)
      : (inflateRaw as Decompress)(input, options, done),
  br: brotliDecompress as Decompress,
  // Node has it from 22.15 on.
  zstd: (zlib as unknown as { zstdDecompress?: Decompress }).zstdDecompress,
}
const mostLayers = 2

/** What a generation's body tells of itself. The body is only looked at: what is forwarded are its very bytes. */
export function peekRequest(
  body: Buffer,
  contentEncoding: string | undefined,
  operation: Operation | undefined,
): RequestLabels | Promise<RequestLabels> {
  const codings = (contentEncoding ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length === 0) return labelsOf(body, operation)
  return decoded(body, codings).then((bytes) => labelsOf(bytes, operation))
}

/** Empty where the body cannot be decoded within bounds. The coding named last was put on last and comes off first. */
async function decoded(body: Buffer, codings: readonly string[]): Promise<Buffer> {
  if (codings.length > mostLayers) return empty
  let bytes = body
  for (const coding of codings.toReversed()) {
    const decompress = Object.hasOwn(decompressors, coding) ? decompressors[coding] : undefined
    if (decompress === undefined || bytes.length > mostCompressedBytes) return empty
    bytes = await new Promise((resolve) => {
      decompress(bytes, { maxOutputLength: mostDecodedBytes }, (error, output) =>
        resolve(error === null ? output : empty),
      )
    })
  }
  return bytes
}

function labelsOf(body: Buffer, operation: Operation | undefined): RequestLabels {
  const facts = scanRequest(body)
  // Ollama's native API streams unless told not to.
  const streamsByDefault = operation === 'ollama_chat' || operation === 'ollama_generate'
  return {
    model: facts.model === undefined || facts.model === '' ? 'unknown' : facts.model,
    streamAsked: facts.stream ?? streamsByDefault,
    cacheHints: Object.freeze({ cacheControl: facts.cacheControl, promptCacheKey: facts.promptCacheKey }),
  }
}
