// Usage, errors and short texts, for the reference reader.
import type { ReferenceFacts, ReferenceUsage } from './reference-reader.ts'

export type Json = Record<string, unknown>

export function usage(value: unknown, facts: ReferenceFacts, timings?: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const reported = object(value)
  const at = (path: string): number | undefined => {
    const found = path.split('.').reduce<unknown>((inner, name) => object(inner)[name], reported)
    return typeof found === 'number' && Number.isSafeInteger(found) && found >= 0 ? found : undefined
  }
  const all = (...names: string[]): number[] => names.map(at).filter((count) => count !== undefined)
  const most = (counts: number[]): number | undefined => (counts.length > 0 ? Math.max(...counts) : undefined)
  const lives = all('cache_creation.ephemeral_5m_input_tokens', 'cache_creation.ephemeral_1h_input_tokens')
  const hit = object(timings)['cache_n']
  const figures: ReferenceUsage = {}
  const set = (name: keyof ReferenceUsage, count: number | undefined): void => {
    if (count !== undefined) figures[name] = count
  }
  set('input', all('prompt_tokens', 'input_tokens', 'prompt_eval_count')[0])
  set('output', all('completion_tokens', 'output_tokens', 'eval_count')[0])
  set('total', at('total_tokens'))
  set(
    'reasoning',
    most(
      all('completion_tokens_details.reasoning_tokens', 'output_tokens_details.reasoning_tokens', 'reasoning_tokens'),
    ),
  )
  const cached = most(
    all(
      'prompt_tokens_details.cached_tokens',
      'input_tokens_details.cached_tokens',
      'prompt_cache_hit_tokens',
      'cache_read_input_tokens',
      'cached_tokens',
      'prompt_eval_cached_count',
    ),
  )
  set('cachedInput', cached ?? (Number.isSafeInteger(hit) && (hit as number) >= 0 ? (hit as number) : undefined))
  const written = most(
    all(
      'prompt_tokens_details.cache_write_tokens',
      'input_tokens_details.cache_write_tokens',
      'cache_creation_input_tokens',
      'prompt_tokens_details.cache_creation_input_tokens',
      'prompt_tokens_details.cache_creation_tokens',
    ),
  )
  set('cacheWriteInput', written ?? (lives.length > 0 ? lives.reduce((sum, count) => sum + count) : undefined))
  const money = (amount: unknown): boolean => typeof amount === 'number' && amount >= 0 && Number.isFinite(amount)
  const cost = [
    reported['cost'],
    object(reported['cost'])['total_cost'],
    typeof reported['cost_in_usd_ticks'] === 'number' ? reported['cost_in_usd_ticks'] / 1e10 : undefined,
  ].find(money)
  if (cost !== undefined) facts.costUsd = cost as number
  const counts = figures.input !== undefined || figures.output !== undefined || figures.total !== undefined
  if (counts || facts.usage !== undefined) facts.usage = { ...facts.usage, ...figures }
}

export function noteErrors(message: object, facts: ReferenceFacts): void {
  const first = object(
    Array.isArray(message) ? message.find((entry) => typeof entry === 'object' && entry !== null) : message,
  )
  if (first['error']) facts.error ??= label(first['error']) ?? 'error'
  else if (first['type'] === 'error') facts.error ??= short(code(first['code'])) ?? short(first['status']) ?? 'error'
  else if (first['object'] === 'error') facts.error ??= label(first) ?? 'error'
}

export function label(error: unknown): string | undefined {
  if (typeof error === 'string') return short(error)
  const about = object(Array.isArray(error) ? error[0] : error)
  return [object(about['metadata'])['error_type'], about['type'], code(about['status']), code(about['code'])]
    .map((value) => short(value))
    .find((value) => value !== undefined)
}

function code(value: unknown): unknown {
  return typeof value === 'number' ? `${value}` : value
}

export function short(value: unknown, length = 64): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  return [...value.slice(0, length)].map((char) => (/^[\p{Cc}\p{Cs}]$/u.test(char) ? '·' : char)).join('')
}

export function object(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
