import { runBench } from '../../src/bench/bench.ts'
import type { BenchRun } from '../../src/bench/bench-run.ts'
import type { ExchangeResult } from '../../src/bench/exchange-result.ts'
import { loadPrompts } from '../../src/bench/prompt-set.ts'
import { comparedFigures } from '../../src/cli/demo-truth.ts'
import { loadBenchPlan } from '../../src/config/bench-plan.ts'
import { type BenchPlan, type BenchPlanInput, benchSchema } from '../../src/config/bench-schema.ts'
import type { ExchangeTruth } from '../../src/simulator/simulator.ts'

export type PlanChanges = Omit<BenchPlanInput, 'targets'> & {
  targets: readonly (Omit<BenchPlanInput['targets'][number], 'apiKeyEnv'> & { apiKey?: string })[]
}

/** A plan of these settings and the defaults, without a file or options. */
export function planOf({ targets, ...rest }: PlanChanges): BenchPlan {
  const read = benchSchema.parse({ ...rest, targets: targets.map(({ apiKey: _, ...target }) => target) })
  return {
    ...read,
    targets: read.targets.map(({ apiKeyEnv: _, ...target }, index) => ({
      ...target,
      name: target.name || new URL(target.baseUrl).host,
      apiKey: targets[index]?.apiKey ?? '',
    })),
  }
}

/** Measures what the plan says. Throws where nothing can be measured. */
export async function measured(changes: PlanChanges, stop = new AbortController().signal): Promise<BenchRun> {
  const plan = planOf(changes)
  const prompts = loadPrompts(plan.prompts)
  if ('problems' in prompts) throw new Error(prompts.problems.join('\n'))
  const run = await runBench(plan, prompts.prompts, {
    version: 'test',
    stop,
    // A test machine may be busy: which runs are kept must not depend on it.
    tolerance: { ms: Number.POSITIVE_INFINITY, share: 0 },
  })
  if ('problems' in run) throw new Error(run.problems.join('\n'))
  return run
}

/** The plan that a command line gives, or its problems as lines. */
export function planFrom(
  texts: Record<string, string[]>,
  text: Record<string, string> = {},
  env: NodeJS.ProcessEnv = {},
): BenchPlan | string[] {
  const loaded = loadBenchPlan({ text, texts }, env)
  return 'plan' in loaded ? loaded.plan : loaded.problems.map(({ path, message }) => `${path}: ${message}`)
}

/** A figure as the bench tells it, and how far it may be from what the simulator did. */
interface Held {
  readonly title: string
  readonly of: (result: ExchangeResult) => number | undefined
  /** Where the demo does not compare it. */
  readonly truth?: (truth: ExchangeTruth) => number | undefined
}

const done = ({ state, streamed }: ExchangeTruth): boolean => state === 'completed' && streamed

const inMilliseconds = (seconds: number | null | undefined): number | undefined =>
  seconds === null || seconds === undefined ? undefined : seconds * 1000

const held: readonly Held[] = [
  { title: 'TTFT ms', of: ({ figures }) => inMilliseconds(figures['time_to_first_token_seconds']) },
  { title: 'answer ms', of: ({ figures }) => inMilliseconds(figures['time_to_first_answer_seconds']) },
  { title: 'tok/s', of: ({ figures }) => figures['output_tokens_per_second'] },
  { title: 'TPOT ms', of: ({ figures }) => inMilliseconds(figures['time_per_output_token_seconds']) },
  { title: 'char/s', of: ({ figures }) => figures['output_chars_per_second'] },
  {
    title: 'headers ms',
    of: ({ figures }) => inMilliseconds(figures['time_to_headers_seconds']),
    truth: ({ marks }) => marks.headers,
  },
  {
    title: 'first byte ms',
    of: ({ figures }) => inMilliseconds(figures['time_to_first_byte_seconds']),
    truth: ({ marks }) => marks.firstByte,
  },
  {
    title: 'duration ms',
    of: ({ figures }) => inMilliseconds(figures['request_duration_seconds']),
    truth: ({ marks }) => marks.ended,
  },
  {
    title: 'blended tok/s',
    of: ({ figures }) => figures['blended_tokens_per_second'],
    // Of a summary the tokens are told, and not written.
    truth: (truth) => {
      const { written, chars, tokens, marks } = truth
      const isSummary = chars.reasoning > 0 && chars.reasoning < tokens.reasoning
      if (!done(truth) || marks.lastToken === undefined) return undefined
      return ((isSummary ? written.answerTokens : written.tokens) * 1000) / marks.lastToken
    },
  },
  {
    title: 'longest stall ms',
    of: ({ figures }) => inMilliseconds(figures['longest_stall_seconds']),
    // Shorter gaps are what the machine makes of them.
    truth: ({ instants }) => {
      const longest = Math.max(0, ...instants.slice(1).map((at, index) => at - (instants[index] as number)))
      return longest > 1000 ? longest : undefined
    },
  },
]

export interface TruthError {
  readonly figure: string
  readonly n: number
  readonly measured: number
  readonly truth: number
  /** Share of the truth. */
  readonly share: number
  /** Of what is allowed, which is 3 % or, for times, 3 ms: the larger. Above 1 it is wrong. */
  readonly used: number
  readonly wrong: boolean
}

/** Medians of the kept runs, the bench's beside the simulator's, of the exchanges that have the figure on both sides. */
export function errorsAgainst(
  exchanges: readonly ExchangeResult[],
  truthOf: (id: string) => ExchangeTruth | undefined,
): TruthError[] {
  const kept = exchanges.filter(({ left, outcome }) => left === null && outcome === 'ok')
  return held.flatMap(({ title, of, truth }): TruthError[] => {
    const truthFor = truth ?? comparedFigures.find((figure) => figure.title === title)?.truth
    const pairs = kept.flatMap((result) => {
      const written = truthOf(result.gatewayRequestId ?? '')
      const [said, was] = [of(result), written && truthFor?.(written)]
      return said === undefined || was === undefined ? [] : [[said, was] as const]
    })
    const [said, was] = [0, 1].map((side) => median(pairs.map((pair) => pair[side] as number)))
    if (said === undefined || was === undefined) return []
    const apart = Math.abs(said - was)
    const slack = title.endsWith(' ms') ? 3 : 0
    return [
      {
        figure: title,
        n: pairs.length,
        measured: said,
        truth: was,
        share: apart / was,
        used: apart / Math.max(0.03 * was, slack),
        wrong: apart > Math.max(0.03 * was, slack),
      },
    ]
  })
}

export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle]
  return upper === undefined || sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}
