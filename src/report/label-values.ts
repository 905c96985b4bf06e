export const other = 'other'

const longest = 64
const unprintable = /[\p{Cc}\p{Surrogate}]/u

/** A label's value as it is shown: at most 64 characters, control characters and lone surrogates replaced. */
export function cleanLabel(value: string): string {
  if (value.length <= longest && !unprintable.test(value)) return value
  // Twice as many code units hold at least as many code points; the rest, which may be megabytes, is never looked at.
  const characters = Array.from(value.slice(0, 2 * longest))
  return characters
    .slice(0, longest)
    .map((character) => (unprintable.test(character) ? '\u{fffd}' : character))
    .join('')
}

/** A label with at most `max` values of its own; all others become `other`. The empty value means "does not apply" and is free. */
export class BoundedValues {
  readonly #seen = new Set<string>()
  readonly #max: number
  readonly #overflowed: () => void
  readonly #rename: ReadonlyMap<string, string>
  readonly #allow: ReadonlySet<string> | undefined

  /** `overflowed` is told of each value that was refused for want of room; one that is not in `allow` is meant to be `other` and no overflow. */
  constructor(
    max: number,
    overflowed: () => void,
    options: { readonly allow?: readonly string[]; readonly rename?: Readonly<Record<string, string>> } = {},
  ) {
    this.#max = max
    this.#overflowed = overflowed
    this.#rename = new Map(Object.entries(options.rename ?? {}))
    this.#allow = options.allow !== undefined && options.allow.length > 0 ? new Set(options.allow) : undefined
  }

  admit(raw: string): string {
    const named = this.#rename.size > 0 ? (this.#rename.get(raw) ?? raw) : raw
    if (this.#allow !== undefined && named !== '' && !this.#allow.has(named)) return other
    const value = cleanLabel(named)
    if (value === '' || value === other || this.#seen.has(value)) return value
    if (this.#seen.size >= this.#max) {
      this.#overflowed()
      return other
    }
    this.#seen.add(value)
    return value
  }
}
