import { connect } from 'node:net'
import type { RawGateway } from './raw-gateway.ts'
import { type Line, RawMessage } from './raw-http.ts'
import type { ReferenceProxy } from './reference-proxies.ts'
import { readSource } from './repository.ts'

/** One raw request, and what is known of it. */
export interface H1Case {
  readonly id: string
  /** Latin-1. */
  readonly request: string
  /** So many answers are waited for; default 1. */
  readonly answers?: number
  /** The client ends its side after the last byte. */
  readonly fin?: boolean
  /** What becomes of it here. */
  readonly expect: Pick<H1Observation, 'answers' | 'seen'>
  /** What becomes of it from Node 22 on, whose parser differs. */
  readonly expectFromNode22?: Pick<H1Observation, 'answers' | 'seen'>
  /** Reference proxies that do otherwise, and a key of `reasons`. */
  readonly differs?: readonly ReferenceProxy[]
  readonly reason?: string
}

export interface H1Table {
  /** Why we do otherwise than others, as it stands in docs/reliability.md. */
  readonly reasons: Readonly<Record<string, string>>
  readonly cases: readonly H1Case[]
}

/** test/fixtures/h1/requests.json, with `{n times x}` written out. */
export function h1Table(): H1Table {
  const table = JSON.parse(readSource('test/fixtures/h1/requests.json')) as H1Table
  const written = (text: string): string =>
    text.replace(/\{(\d+) times (.)\}/g, (_, count: string, what: string) => what.repeat(Number(count)))
  return { ...table, cases: table.cases.map((one) => ({ ...one, request: written(one.request) })) }
}

/** What became of it. */
export interface H1Observation {
  /** Statuses of the final answers that the client got; a cut or malformed one is `0`. */
  readonly answers: readonly number[]
  /** Requests that the origin saw whole. */
  readonly seen: readonly string[]
  /** The origin saw a part of a request that never became whole. */
  readonly partly: boolean
}

/** Lines that every proxy writes for its own connection. */
const own = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'])
/** After the answers that are waited for, so long for more. */
const quietMs = 150

/**
 * Sends a case to a proxy in front of `origin`, and tells what came of it. Only one at a time.
 *
 * @param patienceMs how long an answer is waited for
 */
export async function observe(
  url: string,
  origin: RawGateway,
  { request, answers = 1, fin }: Pick<H1Case, 'request' | 'answers' | 'fin'>,
  patienceMs: number,
): Promise<H1Observation> {
  const before = origin.requests.length
  const bytesBefore = origin.connections.map(({ received }) => received().length)
  const parts: Buffer[] = []
  await new Promise<void>((resolve) => {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true }, () => {
      socket.write(Buffer.from(request, 'latin1'))
      if (fin === true) socket.end()
    })
    const done = (): void => {
      clearTimeout(patience)
      clearTimeout(quiet)
      socket.destroy()
      resolve()
    }
    const patience = setTimeout(done, patienceMs)
    let quiet: NodeJS.Timeout | undefined
    socket.on('data', (bytes: Buffer) => {
      parts.push(bytes)
      if (statusesIn(Buffer.concat(parts)).length < answers) return
      clearTimeout(quiet)
      quiet = setTimeout(done, quietMs)
    })
    socket.on('end', done)
    socket.on('error', done)
    socket.on('close', done)
  })
  // What is still on its way to the origin.
  await new Promise((resolve) => setTimeout(resolve, 30))
  const seen = origin.requests.slice(before)
  const received = origin.connections.reduce(
    (sum, { received: all }, n) => sum + all().length - (bytesBefore[n] ?? 0),
    0,
  )
  const whole = seen.reduce((sum, message) => sum + message.bytes.length, 0)
  return { answers: statusesIn(Buffer.concat(parts)), seen: seen.map(shown), partly: received > whole }
}

function statusesIn(bytes: Buffer): number[] {
  const statuses: number[] = []
  let rest: Buffer = bytes
  while (rest.length > 0) {
    const message = new RawMessage('answer')
    try {
      rest = message.push(rest)
      message.end()
    } catch {
      return [...statuses, 0]
    }
    if (!message.complete) return [...statuses, 0]
    if (message.status >= 200) statuses.push(message.status)
  }
  return statuses
}

function shown(message: RawMessage): string {
  const lines = (message.head?.lines ?? []).filter(([name]) => !own.has(name.toLowerCase()))
  const text = ([name, value]: Line): string =>
    `${name.toLowerCase()}: ${value.length > 40 ? `${value.length} bytes` : value}`
  const body = message.length === 0 ? [] : [JSON.stringify(message.body.toString('latin1'))]
  return [message.head?.startLine.replace(/ HTTP\/1\.1$/, ''), ...lines.map(text), ...body].join(' | ')
}
