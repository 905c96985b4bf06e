/** Why a figure is missing. The first that applies, in this order. definitions.md, "Edge cases". */
export type Reason =
  | 'not_streamed'
  | 'error'
  | 'client_left'
  | 'no_output'
  | 'not_decoded'
  | 'incomplete'
  | 'backpressure'
  | 'many_choices'
  | 'buffered'
  | 'one_chunk'
  | 'no_usage'
  | 'usage_mismatch'
  | 'summarised_reasoning'
  | 'too_few_tokens'
  | 'window_too_short'

export const reasons: readonly Reason[] = [
  'not_streamed',
  'error',
  'client_left',
  'no_output',
  'not_decoded',
  'incomplete',
  'backpressure',
  'many_choices',
  'buffered',
  'one_chunk',
  'no_usage',
  'usage_mismatch',
  'summarised_reasoning',
  'too_few_tokens',
  'window_too_short',
]

export interface ReasonText {
  /** Why the figure is missing. A clause, without a full stop. */
  readonly why: string
  /** What can be done about it. A sentence. */
  readonly remedy: string
}

/** The reasons in words: for the live page and the docs. */
export const reasonTexts: Readonly<Record<Reason, ReasonText>> = {
  not_streamed: {
    why: 'the answer was one body, not a stream',
    remedy: 'Let the app set "stream": true, and look whether the gateway streams this operation.',
  },
  error: {
    why: 'there was no answer, or an error before the first token',
    remedy: 'Look at the outcome and the error of the exchange; the gateway log may know more by its request id.',
  },
  client_left: {
    why: 'the client left before the first token',
    remedy: "Compare the app's timeout with the time to first token; the wait is kept as abandoned wait.",
  },
  no_output: {
    why: 'the answer held no output (of the kind asked for)',
    remedy: 'Look at the finish reason: a filter, a limit of tokens used up by reasoning, or an empty answer.',
  },
  not_decoded: {
    why: 'the body could not be read: an unknown or broken content coding, or a fault while measuring',
    remedy: 'Let the client accept gzip, br, zstd or no coding at all, and look at measurement_errors_total.',
  },
  incomplete: {
    why: 'the stream did not end as it should',
    remedy: 'Look at the outcome: the client left, the gateway reset or cut the stream, or it sent an error.',
  },
  backpressure: {
    why: 'the client read so slowly that the gateway had to wait',
    remedy: "Let the app read the stream without waiting for other work; the rate would be its own, not the gateway's.",
  },
  many_choices: {
    why: 'several choices came interleaved',
    remedy: 'Ask for one choice (n: 1) where rates are wanted.',
  },
  buffered: {
    why: 'something held the stream back and let it go at once',
    remedy:
      'Switch off buffering between here and the model (nginx: proxy_buffering off; CDNs and gateways: streaming on).',
  },
  one_chunk: {
    why: 'all output came in one chunk, too short to call it buffered',
    remedy: 'Nothing is wrong: many gateways send a whole tool call or a short answer at once.',
  },
  no_usage: {
    why: 'the gateway reported no tokens',
    remedy: 'Let the app set "stream_options": {"include_usage": true}; characters per second are there without it.',
  },
  usage_mismatch: {
    why: 'it reported fewer tokens than output events came',
    remedy: "Do not trust this gateway's usage for this model; characters per second are there.",
  },
  summarised_reasoning: {
    why: 'the reasoning that came is a summary that is not counted',
    remedy: 'Nothing can be done: the tokens that were streamed are not told. Characters per second are there.',
  },
  too_few_tokens: {
    why: 'too few tokens came after the first chunk',
    remedy: 'Nothing is wrong: a rate needs at least 16 tokens after the first chunk.',
  },
  window_too_short: {
    why: 'first and last token are too close together',
    remedy: 'Nothing is wrong: a rate needs at least 50 ms between first and last token.',
  },
}
