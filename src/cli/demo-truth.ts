import type { ExchangeTruth } from '../simulator/simulator.ts'
import type { LoggedExchange } from './demo-exchanges.ts'

/** A figure that is compared: what the proxy says of an exchange, and what the simulator did. `undefined`: none. */
export interface ComparedFigure {
  readonly title: string
  readonly digits: number
  readonly proxy: (logged: LoggedExchange) => number | undefined
  readonly truth: (truth: ExchangeTruth) => number | undefined
  /** How far two medians may be apart: the larger of a share of the truth and an absolute difference, in the figure's unit. */
  readonly share: number
  readonly slack: number
}

interface Window {
  readonly seconds: number
  readonly tokens: number
  readonly chars: number
}

/**
 * What came after the first output write, and the time in which it came. Of a summarised reasoning only the answer counts: its tokens came
 * unseen. Worked out from the simulator's own records alone.
 */
function windowOf(truth: ExchangeTruth): Window | undefined {
  const { marks, written, chars, tokens } = truth
  const summarised = chars.reasoning > 0 && chars.reasoning < tokens.reasoning
  const from = summarised ? marks.firstAnswer : marks.firstToken
  if (truth.state !== 'completed' || !truth.streamed || from === undefined || marks.lastToken === undefined)
    return undefined
  const said = chars.answer + chars.tool
  return {
    seconds: (marks.lastToken - from) / 1000,
    tokens: summarised
      ? written.answerTokens - written.answerFirstWriteTokens
      : written.tokens - written.firstWriteTokens,
    chars: summarised ? said - chars.answerFirstWrite : said + chars.reasoning - chars.firstWrite,
  }
}

const inMilliseconds = (seconds: number | undefined): number | undefined => seconds && seconds * 1000

export const comparedFigures: readonly ComparedFigure[] = [
  {
    title: 'TTFT ms',
    digits: 1,
    proxy: ({ figures }) => inMilliseconds(figures['time_to_first_token_seconds']),
    truth: ({ streamed, marks }) => (streamed ? marks.firstToken : undefined),
    share: 0.05,
    slack: 5,
  },
  {
    title: 'answer ms',
    digits: 1,
    proxy: ({ figures }) => inMilliseconds(figures['time_to_first_answer_seconds']),
    truth: ({ streamed, marks }) => (streamed ? marks.firstAnswer : undefined),
    share: 0.05,
    slack: 5,
  },
  {
    title: 'tok/s',
    digits: 1,
    proxy: ({ figures }) => figures['output_tokens_per_second'],
    truth(truth) {
      const window = windowOf(truth)
      return window && window.tokens >= 16 && window.seconds >= 0.05 ? window.tokens / window.seconds : undefined
    },
    share: 0.05,
    slack: 0,
  },
  {
    title: 'TPOT ms',
    digits: 2,
    proxy: ({ figures }) => inMilliseconds(figures['time_per_output_token_seconds']),
    truth(truth) {
      const window = windowOf(truth)
      return window && window.tokens >= 1 && window.seconds > 0 ? (window.seconds * 1000) / window.tokens : undefined
    },
    share: 0.05,
    slack: 0,
  },
  {
    title: 'char/s',
    digits: 0,
    proxy: ({ figures }) => figures['output_chars_per_second'],
    truth(truth) {
      const window = windowOf(truth)
      return window && window.chars > 0 && window.seconds >= 0.05 ? window.chars / window.seconds : undefined
    },
    share: 0.05,
    slack: 0,
  },
  {
    title: 'inter-chunk ms',
    digits: 2,
    proxy: ({ marks, output }) => meanGap(marks.first_token, marks.last_token, output.chunks),
    truth: ({ marks, written, streamed }) =>
      streamed ? meanGap(marks.firstToken, marks.lastToken, written.writes) : undefined,
    share: 0.05,
    // Two writes that are read in one turn are one chunk, and on a busy machine that happens.
    slack: 5,
  },
  {
    title: 'stall s',
    digits: 2,
    proxy: ({ figures }) => atLeastASecond(figures['longest_stall_seconds']),
    truth: ({ instants, streamed }) => {
      const gaps = streamed ? instants.slice(1).map((at, index) => (at - (instants[index] as number)) / 1000) : []
      return atLeastASecond(Math.max(0, ...gaps))
    },
    share: 0.05,
    slack: 0,
  },
]

function meanGap(
  first: number | null | undefined,
  last: number | null | undefined,
  chunks: number,
): number | undefined {
  if (typeof first !== 'number' || typeof last !== 'number' || chunks < 2) return undefined
  return (last - first) / (chunks - 1)
}

/** Shorter gaps are no stalls: they are told by the inter-chunk time. */
function atLeastASecond(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds > 1 ? seconds : undefined
}

const outcomeOf: Readonly<Record<string, string>> = {
  status_429: 'rate_limited',
  status_500: 'http_5xx',
  reset: 'gateway_error',
  truncate: 'gateway_error',
  error: 'stream_error',
}

/** The outcome that the proxy must have seen. */
export function outcomeByTruth(truth: ExchangeTruth): string {
  if (truth.state === 'client_left') return 'client_abort'
  return truth.injected.map((kind) => outcomeOf[kind]).find((outcome) => outcome !== undefined) ?? 'ok'
}
