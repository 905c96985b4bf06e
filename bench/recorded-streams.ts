import { readdirSync, readFileSync } from 'node:fs'
import type { Operation } from '../src/measurement/stream-measurement.ts'

export interface BenchStream {
  readonly name: string
  readonly operation: Operation
  readonly reads: readonly Buffer[]
}

// From dist/bench back to the sources.
const fixtures = new URL('../../test/fixtures/', import.meta.url)

/** Streams of chat and completions as a real server (llama.cpp, some by way of Portkey) sent them, a read for each HTTP chunk. */
export function recordedStreams(): BenchStream[] {
  const streams: BenchStream[] = []
  for (const file of filesOf('recordings')) {
    const { name, request, response, reads } = json(`recordings/${file}`)
    const head = JSON.stringify(response.headers).toLowerCase()
    const operation = operationOf(request.target)
    if (operation === undefined || !head.includes('text/event-stream') || head.includes('gzip')) continue
    const bytes = Buffer.concat(reads.map(([, read]: [number, string]) => Buffer.from(read, 'base64')))
    streams.push({ name, operation, reads: chunksOf(bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)) })
  }
  return streams
}

/** The streams of test/fixtures/wire that are plain SSE of chat and completions, all providers', as they were read. */
export function fixtureStreams(): BenchStream[] {
  const streams: BenchStream[] = []
  for (const file of filesOf('wire')) {
    const about = json(`wire/${file}`)
    const operation = operationOf(about.endpoint)
    const name = file.slice(0, -'.json'.length)
    const coded = about.response_headers['content-encoding'] !== undefined
    if (operation === undefined || about.format !== 'sse' || coded || name === 'sse-large-audio-300k') continue
    const body = readFileSync(new URL(`wire/${name}.sse`, fixtures))
    let at = 0
    const reads = about.reads.map(([, length]: [number, number]) => {
      at += length
      return body.subarray(at - length, at)
    })
    streams.push({ name, operation, reads })
  }
  return streams
}

function filesOf(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, fixtures)).filter((file) => file.endsWith('.json'))
}

function json(path: string) {
  return JSON.parse(readFileSync(new URL(path, fixtures), 'utf8'))
}

function operationOf(path: string): Operation | undefined {
  if (path.endsWith('/chat/completions')) return 'chat'
  return path.endsWith('/completions') ? 'completions' : undefined
}

function chunksOf(body: Buffer): Buffer[] {
  const chunks: Buffer[] = []
  let at = 0
  while (at < body.length) {
    const end = body.indexOf('\r\n', at)
    const length = Number.parseInt(body.toString('latin1', at, end), 16)
    if (!(length > 0)) break
    // Memory of their own, as a socket's reads have.
    chunks.push(Buffer.from(body.subarray(end + 2, end + 2 + length)))
    at = end + 2 + length + 2
  }
  return chunks
}
