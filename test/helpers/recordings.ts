import { readdirSync, readFileSync } from 'node:fs'
import { RawMessage } from './raw-http.ts'

/** A real exchange, read by read as it came from the socket: head and chunk framing included. */
export interface Recording {
  readonly name: string
  readonly request: {
    readonly method: string
    readonly target: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string | null
  }
  /** ms after the request was sent, and the bytes. */
  readonly reads: readonly (readonly [number, Buffer])[]
  /** The answer, read by a parser that knows nothing of ours. */
  readonly answer: RawMessage
  /** Body bytes that had come with each read. */
  readonly bodyAfter: readonly number[]
}

// From dist/test/helpers back to the sources.
const folder = new URL('../../../test/fixtures/recordings/', import.meta.url)

export const recordings: readonly Recording[] = readdirSync(folder)
  .sort()
  .map((file) => {
    const { name, request, reads } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
    const answer = new RawMessage('answer')
    const bodyAfter: number[] = []
    const decoded = (reads as [number, string][]).map(([ms, text]) => {
      const bytes = Buffer.from(text, 'base64')
      answer.push(bytes)
      bodyAfter.push(answer.body.length)
      return [ms, bytes] as const
    })
    return { name, request, reads: decoded, answer, bodyAfter }
  })

/** Number of the read that brings this byte of the body. */
export function readOf({ bodyAfter }: Recording, byte: number): number {
  return bodyAfter.findIndex((length) => length > byte)
}
