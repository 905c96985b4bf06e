import type { TokenCounts } from './usage.ts'

/** USD per million tokens. */
export interface Price {
  readonly input: number
  readonly cachedInput: number
  readonly cacheWrite: number
  readonly output: number
}

/** USD for the tokens of one exchange; `undefined` where input or output is not known. */
export function costOf(tokens: TokenCounts, price: Price): number | undefined {
  if (tokens.input === undefined || tokens.output === undefined) return undefined
  const cached = tokens.cachedInput ?? 0
  const written = tokens.cacheWriteInput ?? 0
  const fresh = Math.max(0, tokens.input - cached - written)
  const sum =
    fresh * price.input + cached * price.cachedInput + written * price.cacheWrite + tokens.output * price.output
  return sum / 1_000_000
}
