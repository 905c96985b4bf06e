// A slow and obvious reader of answers, for comparison: it takes the whole body at once, follows the rules word by word and
// shares no code with src/wire.
import type { Operation } from '../../src/measurement/stream-measurement.ts'
import { referenceMeaning } from './reference-meaning.ts'

export interface ReferenceEvent {
  /** Index of the byte that completes it; the body's length where only its end does. */
  readonly completedBy: number
  readonly reasoning: boolean
  readonly answer: boolean
  readonly contentChars: number
  readonly reasoningChars: number
  readonly toolChars: number
}

export interface ReferenceUsage {
  input?: number
  output?: number
  reasoning?: number
  cachedInput?: number
  cacheWriteInput?: number
  total?: number
}

export interface ReferenceFacts {
  streamed: boolean
  events: number
  comments: number
  invalidEvents: number
  endSeen: boolean
  protocolEndSeen: boolean
  finishReason: string | undefined
  servedModel: string | undefined
  provider: string | undefined
  error: string | undefined
  choices: number
  usage: ReferenceUsage | undefined
  costUsd: number | undefined
  reasoningSummarised: boolean
}

export interface Reference {
  readonly events: readonly ReferenceEvent[]
  readonly facts: ReferenceFacts
  /** Characters of a whole body: content, reasoning, tools. */
  readonly whole: readonly [number, number, number] | undefined
}

export interface AnswerAbout {
  readonly operation: Operation
  readonly status: number
  readonly contentType: string | undefined
  readonly clean: boolean
}

interface Framed {
  readonly data: Buffer
  readonly completedBy: number
  readonly complete: boolean
  readonly name: string
}

export function referenceRead(body: Buffer, about: AnswerAbout): Reference {
  const facts: ReferenceFacts = {
    streamed: false,
    events: 0,
    comments: 0,
    invalidEvents: 0,
    endSeen: false,
    protocolEndSeen: false,
    finishReason: undefined,
    servedModel: undefined,
    provider: undefined,
    error: undefined,
    choices: 0,
    usage: undefined,
    costUsd: undefined,
    reasoningSummarised: false,
  }
  const events: ReferenceEvent[] = []
  let whole: [number, number, number] | undefined
  const framing = framingOf(body, about)
  facts.streamed = framing === 'sse' || framing === 'ndjson'
  if (framing === 'json') {
    const message = parse(withoutMark(body).toString())
    if (message.ok) {
      facts.events = 1
      if (typeof message.value === 'object' && message.value !== null) {
        const meaning = referenceMeaning(message.value, about.operation, true, facts)
        whole = [meaning.contentChars, meaning.reasoningChars, meaning.toolChars]
      }
    } else if (about.clean && /[^ \t\r\n]/.test(withoutMark(body).toString('latin1'))) facts.invalidEvents = 1
  }
  const { framed, comments } = facts.streamed
    ? framing === 'sse'
      ? sse(body)
      : ndjson(body)
    : { framed: [], comments: [] }
  let over = Number.POSITIVE_INFINITY
  for (const { data, completedBy, complete, name } of framed) {
    const text = data.toString()
    const message = parse(text)
    const done = /^[ \t\r\n]*\[DONE\][ \t\r\n]*$/.test(text)
    if (
      !complete &&
      !(about.clean && (done || (message.ok && typeof message.value === 'object' && message.value !== null)))
    )
      continue
    const event = { completedBy, reasoning: false, answer: false, contentChars: 0, reasoningChars: 0, toolChars: 0 }
    facts.events++
    if (done) {
      if (about.operation === 'chat' || about.operation === 'completions') {
        facts.endSeen = true
        facts.protocolEndSeen = true
      }
    } else if (!message.ok) {
      if (/[^ \t\r\n]/.test(text)) {
        facts.invalidEvents++
        if (name === 'error') facts.error ??= 'error'
      }
    } else if (typeof message.value === 'object' && message.value !== null) {
      Object.assign(event, referenceMeaning(message.value, about.operation, false, facts, name === 'error'))
    }
    events.push(event)
    if (done) {
      over = completedBy
      break
    }
  }
  facts.comments = comments.filter((at) => at < over).length
  if (about.status >= 400 && (facts.error === undefined || facts.error === 'error'))
    facts.error = `http_${about.status}`
  return { events, facts, whole }
}

function framingOf(body: Buffer, { contentType, operation }: AnswerAbout): string {
  const type = (contentType ?? '').toLowerCase().replace(/;.*/s, '').trim()
  const labels: Record<string, string> = {
    'text/event-stream': 'sse',
    'application/x-ndjson': 'ndjson',
    'application/json': 'json',
  }
  const label = labels[type]
  const text = withoutMark(body)
    .toString('latin1')
    .replace(/^[ \t\r\n]+/, '')
  if (/^[[{]/.test(text)) {
    if (label === 'ndjson') return 'ndjson'
    const line = /^(\{.*?)\n/s.exec(text)?.[1]
    if (operation.startsWith('ollama') && line !== undefined) {
      const first = parse(line)
      if (first.ok && (first.value as { done?: unknown }).done === false) return 'ndjson'
    }
    return 'json'
  }
  if (label === 'sse' && text !== '') return 'sse'
  if (/^(:|data:|event:|id:|retry:)/.test(text)) return 'sse'
  return label ?? 'opaque'
}

/** The WHATWG's rules, on Latin-1 text so that a character is a byte. */
function sse(body: Buffer): { framed: Framed[]; comments: number[] } {
  const text = body.toString('latin1')
  const framed: Framed[] = []
  const comments: number[] = []
  let data: string[] = []
  let name = ''
  let at = text.startsWith('\xef\xbb\xbf') ? 3 : 0
  const field = (line: string): void => {
    const [, key, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (key === 'data') data.push(value ?? '')
    if (key === 'event') name = value ?? ''
  }
  const take = (completedBy: number, complete: boolean): void => {
    if (data.length > 0) framed.push({ data: Buffer.from(data.join('\n'), 'latin1'), completedBy, complete, name })
    data = []
    name = ''
  }
  while (true) {
    const end = text.slice(at).search(/[\r\n]/)
    if (end === -1) break
    const line = text.slice(at, at + end)
    if (line === '') take(at, true)
    else if (line.startsWith(':')) comments.push(at)
    else field(line)
    at += end + (text.startsWith('\r\n', at + end) ? 2 : 1)
  }
  if (/^data(:|$)/.test(text.slice(at))) field(text.slice(at))
  take(text.length, false)
  return { framed, comments }
}

function ndjson(body: Buffer): { framed: Framed[]; comments: number[] } {
  const text = body.toString('latin1')
  const framed: Framed[] = []
  let at = 0
  for (const line of text.split('\n')) {
    const complete = at + line.length < text.length
    const content = at === 0 ? line.replace(/^\xef\xbb\xbf/, '') : line
    if (content.replace(/[ \t\r]+/g, '') !== '') {
      framed.push({ data: Buffer.from(content, 'latin1'), completedBy: at + line.length, complete, name: '' })
    }
    at += line.length + 1
  }
  return { framed, comments: [] }
}

function withoutMark(body: Buffer): Buffer {
  return body.subarray(body.toString('latin1').startsWith('\xef\xbb\xbf') ? 3 : 0)
}

function parse(text: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return { ok: false }
  }
}
