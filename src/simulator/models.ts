import type { Random } from './random.ts'
import type { SimulatedRequest } from './request.ts'
import type { Script } from './script.ts'

/** What a model may look at when it decides how to answer. */
export interface Situation {
  readonly request: SimulatedRequest
  readonly random: Random
  /** Streams of this model that are being answered, this one included. */
  readonly inFlight: number
  /** Prompt tokens found in, and newly written to, the prompt cache. */
  readonly cached: number
  readonly cacheWritten: number
}

export interface SimulatedModel {
  readonly name: string
  readonly about: string
  answer(situation: Situation): Partial<Script>
}

function flaky({ random }: Situation): Partial<Script> {
  const healthy = { ttftMs: random.around(180, 0.15), tokens: 60, tokensPerSecond: 100 }
  const draw = random.next()
  if (draw < 0.12) return { status: 429, headersMs: 8 }
  if (draw < 0.22) return { status: 500, headersMs: 30 }
  const failAt = random.integer(5, 40)
  if (draw < 0.32) return { ...healthy, fail: 'reset', failAt }
  if (draw < 0.42) return { ...healthy, fail: 'truncate', failAt }
  if (draw < 0.52) return { ...healthy, fail: 'error', failAt }
  return healthy
}

/** Each name is a kind of gateway one meets; the numbers are medians with a small seeded spread. */
export const models: readonly SimulatedModel[] = [
  {
    name: 'sim/fast',
    about: 'short TTFT, 120 tok/s',
    answer: ({ random }) => ({
      ttftMs: random.around(120, 0.08),
      tokens: random.integer(90, 130),
      tokensPerSecond: 120,
    }),
  },
  {
    name: 'sim/reasoning',
    about: 'streamed reasoning, then the answer, 80 tok/s',
    answer: ({ random }) => ({
      ttftMs: random.around(260, 0.08),
      tokens: 120,
      reasoningTokens: random.integer(45, 60),
      tokensPerSecond: 80,
    }),
  },
  {
    name: 'sim/bursty',
    about: '120 tok/s that come in bursts of eight events a write',
    answer: ({ random }) => ({
      ttftMs: random.around(200, 0.08),
      tokens: 120,
      tokensPerSecond: 120,
      eventsPerWrite: 8,
    }),
  },
  {
    name: 'sim/slow-start',
    about: 'long TTFT with keep-alive comments, then 180 tok/s',
    answer: ({ random }) => ({
      headersMs: 40,
      ttftMs: random.around(2400, 0.05),
      comments: [500, 1000, 1500, 2000],
      tokens: 180,
      tokensPerSecond: 180,
    }),
  },
  {
    name: 'sim/frontier',
    about: 'a large model: 0.9 s to the first token, 35 tok/s',
    answer: ({ random }) => ({
      headersMs: 200,
      ttftMs: random.around(900, 0.1),
      tokens: random.integer(70, 100),
      tokensPerSecond: 35,
      jitter: 0.3,
    }),
  },
  {
    name: 'sim/hidden-reasoning',
    about: 'reasoning tokens in the usage only',
    answer: ({ random }) => ({
      ttftMs: random.around(1400, 0.08),
      tokens: 220,
      reasoningTokens: random.integer(110, 140),
      reasoning: 'hidden',
      tokensPerSecond: 90,
    }),
  },
  {
    name: 'sim/summarised-reasoning',
    about: 'a short summary of the reasoning is streamed in place of the counted tokens',
    answer: ({ random }) => ({
      ttftMs: random.around(400, 0.08),
      firstAnswerMs: random.around(1800, 0.05),
      tokens: 400,
      reasoningTokens: 300,
      reasoning: 'summarised',
      tokensPerSecond: 80,
    }),
  },
  {
    name: 'sim/stalls',
    about: '60 tok/s with one silence of 1.5 s',
    answer: ({ random }) => ({
      ttftMs: random.around(200, 0.08),
      tokens: 80,
      tokensPerSecond: 60,
      stallAt: random.integer(20, 60),
      stallMs: 1500,
    }),
  },
  {
    name: 'sim/flaky',
    about: '429, 500, resets, truncations and errors inside a 200, about every second time',
    answer: flaky,
  },
  {
    name: 'sim/cached',
    about: 'a repeated prefix with a cache hint shortens the TTFT from 1.2 s to 0.25 s',
    answer: ({ random, cached, cacheWritten }) => ({
      ttftMs: random.around(cached > 0 ? 250 : 1200, 0.08),
      tokens: 90,
      tokensPerSecond: 90,
      cachedTokens: cached,
      cacheWriteTokens: cacheWritten,
    }),
  },
  {
    name: 'sim/loaded',
    about: '160 tok/s shared by the streams that run side by side when one begins',
    answer: ({ random, inFlight }) => ({
      ttftMs: random.around(150, 0.08) * (1 + (inFlight - 1) / 4),
      tokens: 80,
      tokensPerSecond: 160 / inFlight,
    }),
  },
  {
    name: 'sim/fallback',
    about: 'answers as another model and provider',
    answer: ({ random }) => ({
      ttftMs: random.around(500, 0.08),
      tokens: 80,
      tokensPerSecond: 70,
      servedModel: 'sim/frontier-backup',
      provider: 'SimCloud',
    }),
  },
  {
    name: 'sim/tools',
    about: 'calls the tools it is given, then answers',
    answer: ({ random, request }) => ({
      ttftMs: random.around(300, 0.08),
      tokens: 80,
      tokensPerSecond: 100,
      toolCalls:
        request.afterTool || request.toolChoice === 'none' ? 0 : Math.min(2, Math.max(1, request.tools.length)),
    }),
  },
  { name: 'sim/hang', about: 'headers, then nothing', answer: () => ({ headersMs: 20, fail: 'hang', failAt: 0 }) },
]

export const modelsByName: ReadonlyMap<string, SimulatedModel> = new Map(models.map((model) => [model.name, model]))
