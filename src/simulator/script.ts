import { isObject, type JsonObject } from './json.ts'

/** What one answer shall be. Times are milliseconds after the request's head was received; tokens count from 0. */
export interface Script {
  /** Status line and headers. A whole (not streamed) answer sends them with its body unless this is asked for. */
  headersMs: number
  /** Events before the first token: role chunk, `response.created`, `message_start`. Default: with the headers. */
  openingMs: number | undefined
  /** First output event. */
  ttftMs: number
  /** Generated tokens of each choice, reasoning included. Where tools are called the arguments decide. */
  tokens: number
  /** Those of `tokens` that are reasoning. */
  reasoningTokens: number
  /** `hidden`: in the usage only. `summarised`: a few words are streamed in place of the counted tokens. */
  reasoning: 'streamed' | 'hidden' | 'summarised'
  /** Of each choice. */
  tokensPerSecond: number
  /** Default: as `tokensPerSecond`. */
  reasoningTokensPerSecond: number | undefined
  /** First answer event after streamed or summarised reasoning. Default: when the reasoning is through. */
  firstAnswerMs: number | undefined
  tokensPerEvent: number
  /** Events that share one write. */
  eventsPerWrite: number
  /** 0 to 1: each gap is stretched or shortened by up to this share, by the seed. */
  jitter: number
  /** Instants of SSE comments. */
  comments: number[]
  /** Adds a silence of `stallMs` before this token. */
  stallAt: number | undefined
  stallMs: number
  /** How it goes wrong when `failAt` tokens are out: an error event, a reset, an end without the closing events, or silence. */
  fail: 'error' | 'reset' | 'truncate' | 'hang' | undefined
  /** -1: before the headers (`reset`, `hang`); 0: before the first token. */
  failAt: number
  /** Other than 200: an error body at `headersMs`. */
  status: number
  /** From the last token to the closing events. */
  endMs: number
  /** `false`: never reported. `true`: even if it was not asked for. Default: as the request asks. */
  usage: boolean | undefined
  /** Compressed, flushed after each write. */
  gzip: boolean
  /** Held back by an intermediary: the whole stream in one write at its end. */
  buffered: boolean
  /** Number of tool calls. Default: as the model and the request's `tool_choice` want it. */
  toolCalls: number | undefined
  /** Prompt tokens that came from a cache. */
  cachedTokens: number
  /** Prompt tokens that were written to a cache. */
  cacheWriteTokens: number
  servedModel: string | undefined
  provider: string | undefined
  finishReason: string | undefined
  /** The body as it is, in place of everything else: `[[ms, text], …]`, one write each. */
  raw: [number, string][] | undefined
  /** Of a raw body. Default: `text/event-stream`. */
  contentType: string | undefined
}

export const plainScript: Readonly<Script> = {
  headersMs: 5,
  openingMs: undefined,
  ttftMs: 100,
  tokens: 100,
  reasoningTokens: 0,
  reasoning: 'streamed',
  tokensPerSecond: 100,
  reasoningTokensPerSecond: undefined,
  firstAnswerMs: undefined,
  tokensPerEvent: 1,
  eventsPerWrite: 1,
  jitter: 0,
  comments: [],
  stallAt: undefined,
  stallMs: 0,
  fail: undefined,
  failAt: 0,
  status: 200,
  endMs: 2,
  usage: undefined,
  gzip: false,
  buffered: false,
  toolCalls: undefined,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  servedModel: undefined,
  provider: undefined,
  finishReason: undefined,
  raw: undefined,
  contentType: undefined,
}

interface Rule {
  readonly holds: (value: unknown) => boolean
  readonly text: string
}
const number = (low: number, high: number): Rule => ({
  holds: (value) => typeof value === 'number' && value >= low && value <= high,
  text: `a number from ${low} to ${high}`,
})
const whole = (low: number, high: number): Rule => ({
  holds: (value) => Number.isInteger(value) && (value as number) >= low && (value as number) <= high,
  text: `a whole number from ${low} to ${high}`,
})
const word = (...choices: string[]): Rule => ({
  holds: (value) => choices.includes(value as string),
  text: `one of ${choices.join(', ')}`,
})
const text: Rule = { holds: (value) => typeof value === 'string', text: 'a string' }
const flag: Rule = { holds: (value) => typeof value === 'boolean', text: 'true or false' }
const milliseconds = number(0, 86_400_000)

const rules: { readonly [Field in keyof Script]: Rule } = {
  headersMs: milliseconds,
  openingMs: milliseconds,
  ttftMs: milliseconds,
  tokens: whole(0, 1_000_000),
  reasoningTokens: whole(0, 1_000_000),
  reasoning: word('streamed', 'hidden', 'summarised'),
  tokensPerSecond: number(0.001, 1_000_000),
  reasoningTokensPerSecond: number(0.001, 1_000_000),
  firstAnswerMs: milliseconds,
  tokensPerEvent: whole(1, 10_000),
  eventsPerWrite: whole(1, 10_000),
  jitter: number(0, 1),
  comments: {
    holds: (value) => Array.isArray(value) && value.length <= 10_000 && value.every((at) => milliseconds.holds(at)),
    text: 'a list of milliseconds',
  },
  stallAt: whole(0, 1_000_000),
  stallMs: milliseconds,
  fail: word('error', 'reset', 'truncate', 'hang'),
  failAt: whole(-1, 1_000_000),
  status: whole(200, 599),
  endMs: milliseconds,
  usage: flag,
  gzip: flag,
  buffered: flag,
  toolCalls: whole(0, 16),
  cachedTokens: whole(0, 10_000_000),
  cacheWriteTokens: whole(0, 10_000_000),
  servedModel: text,
  provider: text,
  finishReason: text,
  raw: {
    holds: (value) =>
      Array.isArray(value) &&
      value.every((entry) => Array.isArray(entry) && milliseconds.holds(entry[0]) && text.holds(entry[1])),
    text: 'a list of [milliseconds, text]',
  },
  contentType: text,
}

/** Reads a script somebody sent. All problems, not only the first; each names its field. */
export function readScript(value: unknown): { script: Partial<Script>; problems: string[] } {
  if (value === undefined || value === null) return { script: {}, problems: [] }
  if (!isObject(value)) return { script: {}, problems: ['the script must be a JSON object'] }
  const problems: string[] = []
  const script: JsonObject = {}
  for (const [field, entry] of Object.entries(value)) {
    const rule = Object.hasOwn(rules, field) ? rules[field as keyof Script] : undefined
    if (rule === undefined) problems.push(`${field}: no such field; there are ${Object.keys(rules).join(', ')}`)
    else if (!rule.holds(entry)) problems.push(`${field}: must be ${rule.text}`)
    else script[field] = entry
  }
  return { script: script as Partial<Script>, problems }
}
