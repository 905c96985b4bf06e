import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { headOf, RawMessage, within } from './raw-http.ts'

/** An answer on its way. `complete` is false for ever where it was cut. */
export interface RawAnswer {
  readonly message: RawMessage
  /** 1xx heads that came before. */
  readonly interim: readonly RawMessage[]
  /** Resolves once the head is there. */
  head(): Promise<RawMessage>
  /** Resolves once the answer is whole, or its connection has ended. */
  over(): Promise<RawMessage>
  /** Resolves once the body so far holds `text`, or so many bytes. */
  seen(text: string | Buffer | number): Promise<void>
}

export interface RawClient {
  readonly socket: Socket
  /** Sends bytes that ask for one answer. `method` tells whether that has a body. */
  ask(bytes: Buffer | string, method?: string): RawAnswer
  /** An answer to what was or will be written by hand. */
  expect(method?: string): RawAnswer
  write(bytes: Buffer | string): Promise<void>
  fin(): void
  reset(): void
  /** Everything that came, framing included. */
  received(): Buffer
  /** How the proxy ended the connection. */
  readonly closed: Promise<'fin' | 'reset'>
}

/** A client on a plain socket: its bytes are the test's own, and it sees the framing and the kind of the end. */
export async function openRawClient(t: TestContext, url: string): Promise<RawClient> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true })
  t.after(() => socket.destroy())
  const expected: { message: RawMessage; interim: RawMessage[]; method: string }[] = []
  const early: Buffer[] = []
  const parts: Buffer[] = []
  const watchers = new Set<() => void>()
  let ending: 'fin' | 'reset' | undefined
  let fault: unknown
  const look = (): void => {
    for (const watcher of watchers) watcher()
  }

  const read = (bytes: Buffer): void => {
    let rest = bytes
    while (rest.length > 0 && fault === undefined) {
      const current = expected.find(({ message }) => !message.complete)
      if (current === undefined) {
        early.push(rest)
        break
      }
      rest = current.message.push(rest)
      if (current.message.complete && current.message.status < 200 && current.message.status !== 101) {
        current.interim.push(current.message)
        current.message = new RawMessage('answer', current.method === 'HEAD')
      }
    }
    look()
  }
  const guarded = (bytes: Buffer): void => {
    try {
      read(bytes)
    } catch (error) {
      fault = error
      look()
    }
  }
  socket.on('data', (bytes: Buffer) => {
    parts.push(bytes)
    guarded(bytes)
  })
  const closed = new Promise<'fin' | 'reset'>((resolve) => {
    const end = (how: 'fin' | 'reset'): void => {
      ending ??= how
      for (const { message } of expected) message.end()
      look()
      resolve(ending)
    }
    socket.on('end', () => end('fin'))
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code === 'ECONNRESET' ? 'reset' : 'fin'))
    socket.on('close', () => end('fin'))
  })
  await within(once(socket, 'connect'), 'a connection')

  const until = <T>(found: () => T | undefined, what: string): Promise<T> =>
    within(
      new Promise((resolve, reject) => {
        const watcher = (): void => {
          const value = found()
          if (value !== undefined) resolve(value)
          else if (fault !== undefined) reject(fault)
          else if (ending !== undefined) reject(new Error(`the connection ended (${ending}) before ${what}`))
          else return
          watchers.delete(watcher)
        }
        watchers.add(watcher)
        watcher()
      }),
      what,
    )
  const client: RawClient = {
    socket,
    closed,
    received: () => Buffer.concat(parts),
    write: (bytes) =>
      new Promise((resolve) => {
        if (socket.destroyed) resolve()
        else socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes, () => resolve())
      }),
    fin: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
    ask(bytes, method) {
      const answer = client.expect(method ?? methodIn(bytes))
      void client.write(bytes)
      return answer
    },
    expect(method = 'GET') {
      const own = { message: new RawMessage('answer', method === 'HEAD'), interim: [] as RawMessage[], method }
      expected.push(own)
      for (const bytes of early.splice(0)) guarded(bytes)
      return {
        get message() {
          return own.message
        },
        interim: own.interim,
        head: () => until(() => (own.message.head === undefined ? undefined : own.message), "the answer's head"),
        over: () =>
          until(() => (own.message.complete || ending !== undefined ? own.message : undefined), 'the end of an answer'),
        async seen(text) {
          const what = typeof text === 'number' ? `${text} bytes` : JSON.stringify(String(text).slice(-60))
          await until(() => {
            const there = typeof text === 'number' ? own.message.length >= text : own.message.body.includes(text)
            return there ? true : undefined
          }, what)
        },
      }
    },
  }
  return client
}

function methodIn(bytes: Buffer | string): string {
  return bytes.toString('latin1').split(' ', 1)[0] ?? 'GET'
}

export interface RequestParts {
  readonly method?: string
  readonly target?: string
  /** Lines as written, in Latin-1; `host` is added where none stands among them. */
  readonly lines?: readonly string[]
  /** A `content-length` is added where it is given and no framing stands among the lines. */
  readonly body?: string | Buffer
}

/** The bytes of a request. */
export function requestBytes(parts: RequestParts = {}): Buffer {
  const lines = [...(parts.lines ?? [])]
  const has = (name: string): boolean => lines.some((line) => line.toLowerCase().startsWith(`${name}:`))
  if (!has('host')) lines.unshift('host: 127.0.0.1')
  const body = parts.body === undefined ? undefined : Buffer.from(parts.body as string)
  if (body !== undefined && !has('content-length') && !has('transfer-encoding')) {
    lines.push(`content-length: ${body.length}`)
  }
  const startLine = `${parts.method ?? (body === undefined ? 'GET' : 'POST')} ${parts.target ?? '/v1/models'} HTTP/1.1`
  return Buffer.concat([headOf(startLine, lines), body ?? Buffer.alloc(0)])
}
