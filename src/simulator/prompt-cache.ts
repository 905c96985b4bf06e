/** Tokens below which real providers cache nothing. */
export const leastCachedTokens = 1024
const keptPrefixes = 1000

/** Remembers which hinted prefixes were seen, the oldest forgotten first. */
export class PromptCache {
  readonly #seen = new Set<string>()

  /** Looks a prefix up and remembers it. Short ones are silently not cached. */
  use(model: string, prefix: { key: string; tokens: number } | undefined): { cached: number; written: number } {
    if (prefix === undefined || prefix.tokens < leastCachedTokens) return { cached: 0, written: 0 }
    const { tokens } = prefix
    const key = `${model}\n${prefix.key}`
    const hit = this.#seen.delete(key)
    this.#seen.add(key)
    for (const oldest of this.#seen) {
      if (this.#seen.size <= keptPrefixes) break
      this.#seen.delete(oldest)
    }
    return hit ? { cached: tokens, written: 0 } : { cached: 0, written: tokens }
  }
}
