import * as zlib from 'node:zlib'
import { brotliDecompress, gunzip, type InputType, inflate } from 'node:zlib'
import type { Operation } from '../measurement/stream-measurement.ts'
import type { RequestLabels } from './exchange-identity.ts'
import { scanRequest } from './request-scan.ts'

/** Of a compressed request no more than this is decoded, for its labels alone: it is forwarded as it came. */
const mostDecodedBytes = 8 * 2 ** 20
const mostCompressedBytes = 4 * 2 ** 20

type Decompress = (
  input: InputType,
  options: { maxOutputLength: number },
  done: (error: Error | null, output: Buffer) => void,
) => void

const decompressors: Readonly<Record<string, Decompress | undefined>> = {
  gzip: gunzip as Decompress,
  'x-gzip': gunzip as Decompress,
  deflate: inflate as Decompress,
  br: brotliDecompress as Decompress,
  // Node has it from 22.15 on.
  zstd: (zlib as unknown as { zstdDecompress?: Decompress }).zstdDecompress,
}

/** What a generation's body tells of itself. The body is only looked at: what is forwarded are its very bytes. */
export function peekRequest(
  body: Buffer,
  contentEncoding: string | undefined,
  operation: Operation | undefined,
): RequestLabels | Promise<RequestLabels> {
  const coding = contentEncoding?.trim().toLowerCase() ?? ''
  if (coding === '' || coding === 'identity') return labelsOf(body, operation)
  const decompress = decompressors[coding]
  if (decompress === undefined || body.length > mostCompressedBytes) return labelsOf(Buffer.alloc(0), operation)
  return new Promise((resolve) => {
    decompress(body, { maxOutputLength: mostDecodedBytes }, (error, output) => {
      resolve(labelsOf(error === null ? output : Buffer.alloc(0), operation))
    })
  })
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
