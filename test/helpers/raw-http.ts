/** A header line as it stood on the wire, decoded as Latin-1: one character a byte. */
export type Line = readonly [name: string, value: string]

export interface RawHead {
  readonly startLine: string
  readonly lines: readonly Line[]
  /** With the empty line. */
  readonly bytes: Buffer
}

/** How a body says where it ends. `close`: with its connection. */
export type RawFraming = 'none' | 'length' | 'chunked' | 'close'

/**
 * One HTTP/1.1 message read from a socket byte by byte, strictly: what is no HTTP throws. It belongs to the tests alone, so that a fault of the
 * parsers under test cannot hide itself.
 */
export class RawMessage {
  head: RawHead | undefined
  framing: RawFraming = 'none'
  complete = false
  /** How often body bytes came. */
  reads = 0
  /** Body bytes so far. */
  length = 0
  /** Chunk sizes as written, extensions included. */
  readonly chunkLines: string[] = []
  readonly trailers: Line[] = []
  readonly #kind: 'request' | 'answer'
  readonly #bodiless: boolean
  readonly #body: Buffer[] = []
  readonly #bytes: Buffer[] = []
  #pending: Buffer = Buffer.alloc(0)
  /** Body or chunk bytes still to come. */
  #left = 0
  #state: 'head' | 'body' | 'size' | 'chunk' | 'chunkEnd' | 'trailers' = 'head'

  /** @param bodiless an answer without a body whatever its head says (HEAD) */
  constructor(kind: 'request' | 'answer', bodiless = false) {
    this.#kind = kind
    this.#bodiless = bodiless
  }

  get body(): Buffer {
    return Buffer.concat(this.#body)
  }

  /** Every byte of the message as it came, framing included. */
  get bytes(): Buffer {
    return Buffer.concat(this.#bytes)
  }

  get status(): number {
    return Number(this.head?.startLine.split(' ')[1])
  }

  /** All values of a name, in order. */
  values(name: string): string[] {
    return valuesOf(this.head?.lines ?? [], name)
  }

  /** @returns what follows this message */
  push(bytes: Buffer): Buffer {
    this.#pending = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes])
    const before = this.#body.length
    while (!this.complete && this.#step()) {}
    if (this.#body.length > before) this.reads++
    if (!this.complete) return Buffer.alloc(0)
    const rest = this.#pending
    this.#pending = Buffer.alloc(0)
    return rest
  }

  /** The connection ended. */
  end(): void {
    if (this.#state === 'body' && this.framing === 'close') this.complete = true
  }

  #step(): boolean {
    switch (this.#state) {
      case 'head':
        return this.#readHead()
      case 'body':
      case 'chunk':
        return this.#readBody()
      case 'size':
        return this.#readSize()
      case 'chunkEnd': {
        const line = this.#takeLine()
        if (line === undefined) return false
        if (line !== '') throw new Error(`a chunk is followed by ${JSON.stringify(line)}`)
        this.#state = 'size'
        return true
      }
      case 'trailers':
        return this.#readTrailer()
    }
  }

  #readHead(): boolean {
    const end = this.#pending.indexOf('\r\n\r\n')
    if (end === -1) return false
    const bytes = this.#take(end + 4)
    const [startLine = '', ...rest] = bytes.toString('latin1', 0, end).split('\r\n')
    this.head = { startLine, lines: rest.map(lineOf), bytes }
    this.framing = this.#framingOf(this.head)
    if (this.framing === 'length') this.#left = Number(this.values('content-length')[0])
    if (this.framing === 'close') this.#left = Number.POSITIVE_INFINITY
    this.#state = this.framing === 'chunked' ? 'size' : 'body'
    if (this.framing === 'none' || this.#left === 0) this.complete = this.framing !== 'chunked'
    return true
  }

  #framingOf(head: RawHead): RawFraming {
    const status = this.status
    if (this.#kind === 'answer' && (this.#bodiless || status < 200 || status === 204 || status === 304)) return 'none'
    const coded = valuesOf(head.lines, 'transfer-encoding')
    const lengths = valuesOf(head.lines, 'content-length')
    if (coded.length + lengths.length > 1) throw new Error(`framing stands more than once: ${coded} ${lengths}`)
    if (coded.length === 1) {
      if (coded[0]?.toLowerCase() !== 'chunked') throw new Error(`transfer-encoding: ${coded[0]}`)
      return 'chunked'
    }
    if (lengths.length === 1) return 'length'
    return this.#kind === 'answer' ? 'close' : 'none'
  }

  #readBody(): boolean {
    if (this.#pending.length === 0) return false
    const part = this.#take(Math.min(this.#left, this.#pending.length))
    this.#body.push(part)
    this.length += part.length
    this.#left -= part.length
    if (this.#left > 0) return false
    if (this.#state === 'body') this.complete = true
    else this.#state = 'chunkEnd'
    return true
  }

  #readSize(): boolean {
    const line = this.#takeLine()
    if (line === undefined) return false
    const size = /^[0-9a-f]+(?=$|[ ;])/i.exec(line)
    if (size === null) throw new Error(`no chunk size: ${JSON.stringify(line)}`)
    this.chunkLines.push(line)
    this.#left = Number.parseInt(size[0], 16)
    this.#state = this.#left === 0 ? 'trailers' : 'chunk'
    return true
  }

  #readTrailer(): boolean {
    const line = this.#takeLine()
    if (line === undefined) return false
    if (line === '') this.complete = true
    else this.trailers.push(lineOf(line))
    return true
  }

  #takeLine(): string | undefined {
    const end = this.#pending.indexOf('\r\n')
    return end === -1 ? undefined : this.#take(end + 2).toString('latin1', 0, end)
  }

  #take(length: number): Buffer {
    const taken = this.#pending.subarray(0, length)
    this.#pending = this.#pending.subarray(length)
    this.#bytes.push(taken)
    return taken
  }
}

function lineOf(line: string): Line {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '')]
}

export function valuesOf(lines: readonly Line[], name: string): string[] {
  return lines.filter(([own]) => own.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
}

/** Bytes as one HTTP chunk. */
export function chunk(body: string | Buffer): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
}

export const lastChunk = '0\r\n\r\n'

/** A head from its lines; text is Latin-1, so that any byte can be written. */
export function headOf(startLine: string, lines: readonly string[] = []): Buffer {
  return Buffer.from(`${[startLine, ...lines].join('\r\n')}\r\n\r\n`, 'latin1')
}

const hangAfterMs = 10_000

/** A guard against hanging, not a measure of speed. */
export function within<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`still waiting for ${what}`)), hangAfterMs)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
