import { normaliseUsage, type ReportedUsage } from '../measurement/usage.ts'
import type { AnswerFacts, EventReading } from './event-reading.ts'
import { countOf, objectOf } from './loose-json.ts'

/** Names under which gateways report a figure, `a.b` for a field inside another. wire.md, section 4. */
export const usageNames = {
  input: ['prompt_tokens', 'input_tokens', 'prompt_eval_count'],
  output: ['completion_tokens', 'output_tokens', 'eval_count'],
  reasoning: [
    'completion_tokens_details.reasoning_tokens',
    'output_tokens_details.reasoning_tokens',
    'reasoning_tokens',
  ],
  cachedInput: [
    'prompt_tokens_details.cached_tokens',
    'input_tokens_details.cached_tokens',
    'prompt_cache_hit_tokens',
    'cache_read_input_tokens',
    'cached_tokens',
    'prompt_eval_cached_count',
  ],
  cacheWriteInput: [
    'prompt_tokens_details.cache_write_tokens',
    'input_tokens_details.cache_write_tokens',
    'cache_creation_input_tokens',
    'prompt_tokens_details.cache_creation_input_tokens',
    'prompt_tokens_details.cache_creation_tokens',
  ],
  total: ['total_tokens'],
} as const satisfies Record<keyof ReportedUsage, readonly string[]>

type Path = readonly [string, string | undefined]
type Names = Readonly<Record<keyof ReportedUsage, readonly Path[]>>

const paths = Object.fromEntries(
  Object.entries(usageNames).map(([figure, names]) => [
    figure,
    names.map((name) => [name.split('.')[0], name.split('.')[1]]),
  ]),
) as unknown as Names

/**
 * Reads one usage object into the facts, field by field: what it does not report stays.
 * `timings` are llama.cpp's, which tell the cached tokens where its usage does not.
 */
export function readUsage(usage: unknown, facts: AnswerFacts, reading?: EventReading, timings?: unknown): void {
  const object = objectOf<string>(usage)
  if (object === undefined) return
  const reported: ReportedUsage = {
    input: firstOf(object, paths.input),
    output: firstOf(object, paths.output),
    reasoning: largestOf(object, paths.reasoning),
    cachedInput: largestOf(object, paths.cachedInput) ?? countOf(objectOf<'cache_n'>(timings)?.cache_n),
    cacheWriteInput: largestOf(object, paths.cacheWriteInput) ?? writtenByLifetime(object['cache_creation']),
    total: firstOf(object, paths.total),
  }
  const cost = costOf(object)
  if (cost !== undefined) facts.costUsd = cost
  if (reported.input === undefined && reported.output === undefined && reported.total === undefined) {
    if (facts.usage === undefined) return
  }
  if (reading !== undefined && reported.output !== undefined) {
    reading.outputTokens = normaliseUsage(reported, facts.inputAccounting).output
  }
  if (facts.usage === undefined) {
    facts.usage = reported
    return
  }
  for (const figure of figures) if (reported[figure] !== undefined) facts.usage[figure] = reported[figure]
}

const figures = Object.keys(usageNames) as (keyof ReportedUsage)[]

function valueAt(object: { readonly [name: string]: unknown }, path: Path): number | undefined {
  const value = object[path[0]]
  if (path[1] === undefined) return countOf(value)
  return value === undefined ? undefined : countOf(objectOf<string>(value)?.[path[1]])
}

function firstOf(object: { readonly [name: string]: unknown }, names: readonly Path[]): number | undefined {
  for (const path of names) {
    const value = valueAt(object, path)
    if (value !== undefined) return value
  }
  return undefined
}

/** One figure under two names (DeepSeek, Kimi, LiteLLM) is the same figure: never added, and a 0 gives way. */
function largestOf(object: { readonly [name: string]: unknown }, names: readonly Path[]): number | undefined {
  let largest: number | undefined
  for (const path of names) {
    const value = valueAt(object, path)
    if (value !== undefined && (largest === undefined || value > largest)) largest = value
  }
  return largest
}

/** Anthropic splits cache writes by how long they live; a gateway may leave the sum out. */
function writtenByLifetime(value: unknown): number | undefined {
  const written = objectOf<'ephemeral_5m_input_tokens' | 'ephemeral_1h_input_tokens'>(value)
  if (written === undefined) return undefined
  const short = countOf(written.ephemeral_5m_input_tokens)
  const long = countOf(written.ephemeral_1h_input_tokens)
  return short === undefined && long === undefined ? undefined : (short ?? 0) + (long ?? 0)
}

/** USD: `cost` (OpenRouter; Perplexity sends an object with its sum), or xAI's ticks of 1e-10 USD. */
function costOf(object: { readonly [name: string]: unknown }): number | undefined {
  const cost = object['cost']
  const ticks = amountOf(object['cost_in_usd_ticks'])
  return (
    amountOf(cost) ??
    amountOf(objectOf<'total_cost'>(cost)?.total_cost) ??
    (ticks === undefined ? undefined : ticks / 1e10)
  )
}

/** A finite number from 0 up. */
export function amountOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY ? value : undefined
}
