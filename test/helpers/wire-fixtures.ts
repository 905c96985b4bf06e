import { readdirSync, readFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import type { Operation } from '../../src/measurement/stream-measurement.ts'
import { readAnswerHeaders } from '../../src/wire/answer-headers.ts'
import { AnswerReader } from '../../src/wire/answer-reader.ts'

/** What a meter must say of a fixture's answer. Reads are numbered from 0. */
export interface Expectation {
  first_token_read: number | null
  first_reasoning_read: number | null
  first_content_read: number | null
  last_token_read: number | null
  content_chars: number
  reasoning_chars: number
  tool_chars: number
  token_events: number
  usage: {
    input: number | null
    output: number | null
    reasoning: number | null
    cached: number | null
    cache_write: number | null
  } | null
  finish_reason: string | null
  error: string | null
  done_seen: boolean
  response_model: string | null
  served_provider: string | null
  invalid_events: number
  comments: number
}

export interface WireFixture {
  readonly name: string
  readonly endpoint: string
  readonly status: number
  readonly format: 'sse' | 'ndjson' | 'json' | 'text'
  readonly end: 'close' | 'reset'
  readonly response_headers: Readonly<Record<string, string>>
  readonly request_headers: Readonly<Record<string, string>>
  readonly request_body: unknown
  /** Delay in ms before a read, and its bytes. */
  readonly reads: readonly (readonly [number, number])[]
  readonly expect: Expectation
  readonly expect_lenient?: Partial<Expectation>
  /** The body as it is on the wire, content codings on. */
  readonly body: Buffer
}

// From dist/test/helpers back to the sources.
const folder = new URL('../../../test/fixtures/wire/', import.meta.url)

export const wireFixtures: readonly WireFixture[] = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .sort()
  .map((file) => {
    const name = file.slice(0, -'.json'.length)
    const about = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
    return { ...about, name, body: readFileSync(new URL(`${name}.sse`, folder)) }
  })

/** What is asked at an endpoint; embeddings are no generation, but their usage reads like completions'. */
export function operationOf(endpoint: string): Operation {
  if (endpoint.endsWith('/chat/completions')) return 'chat'
  if (endpoint.endsWith('/responses')) return 'responses'
  if (endpoint.endsWith('/messages')) return 'messages'
  if (endpoint.endsWith('/api/chat')) return 'ollama_chat'
  if (endpoint.endsWith('/api/generate')) return 'ollama_generate'
  return 'completions'
}

/** The body's reads as recorded. */
export function readsOf(fixture: WireFixture): Buffer[] {
  let at = 0
  const reads = fixture.reads.map(([, length]) => {
    at += length
    return fixture.body.subarray(at - length, at)
  })
  if (at !== fixture.body.length && fixture.reads.length > 0)
    throw new Error(`${fixture.name}: reads do not cover the body`)
  return reads.length > 0 || fixture.body.length === 0 ? reads : [fixture.body]
}

/** The whole body with its content coding taken off. */
export function decodedBody(fixture: WireFixture): Buffer {
  const coding = fixture.response_headers['content-encoding']
  if (coding === 'gzip') return gunzipSync(fixture.body)
  if (coding === 'br') return brotliDecompressSync(fixture.body)
  if (coding === 'deflate') {
    return ((fixture.body[0] as number) & 0x0f) === 8 ? inflateSync(fixture.body) : inflateRawSync(fixture.body)
  }
  return fixture.body
}

/** One read, and the number of the recorded read it belongs to. */
export type NumberedRead = readonly [Uint8Array, number]

/** Reads a fixture's answer with the reader, and says what it says in the fixtures' terms. */
export function readFixture(fixture: WireFixture, reads: Iterable<NumberedRead>): Expectation {
  let at = -1
  const said: Expectation = {
    first_token_read: null,
    first_reasoning_read: null,
    first_content_read: null,
    last_token_read: null,
    content_chars: 0,
    reasoning_chars: 0,
    tool_chars: 0,
    token_events: 0,
    usage: null,
    finish_reason: null,
    error: null,
    done_seen: false,
    response_model: null,
    served_provider: null,
    invalid_events: 0,
    comments: 0,
  }
  const reader = new AnswerReader(
    {
      operation: operationOf(fixture.endpoint),
      status: fixture.status,
      contentType: fixture.response_headers['content-type'],
    },
    (reading) => {
      said.content_chars += reading.contentChars
      said.reasoning_chars += reading.reasoningChars
      said.tool_chars += reading.toolChars
      if (!reading.reasoning && !reading.answer) return
      said.token_events++
      said.first_token_read ??= at
      said.last_token_read = at
      if (reading.reasoning) said.first_reasoning_read ??= at
      if (reading.answer) said.first_content_read ??= at
    },
  )
  for (const [bytes, number] of reads) {
    at = number
    reader.push(bytes)
  }
  reader.end(fixture.end === 'close')
  const { facts } = reader
  if (facts.wholeBody !== undefined) {
    said.content_chars = facts.wholeBody.contentChars
    said.reasoning_chars = facts.wholeBody.reasoningChars
    said.tool_chars = facts.wholeBody.toolChars
  }
  if (facts.usage !== undefined) {
    said.usage = {
      input: facts.usage.input ?? null,
      output: facts.usage.output ?? null,
      reasoning: facts.usage.reasoning ?? null,
      cached: facts.usage.cachedInput ?? null,
      cache_write: facts.usage.cacheWriteInput ?? null,
    }
  }
  said.finish_reason = facts.finishReason ?? null
  said.error = facts.error ?? null
  said.done_seen = facts.protocolEndSeen
  said.response_model = facts.servedModel ?? null
  said.served_provider = facts.provider ?? readAnswerHeaders(fixture.response_headers).provider ?? null
  said.invalid_events = facts.invalidEvents
  said.comments = facts.comments
  return said
}
