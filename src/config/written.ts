/** Keys without a value (`headers:` and nothing after it) are taken as not written. */
export function withoutNothing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNothing)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined)
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutNothing(inner)]))
}

/** The mapping under a key of what was written; an empty one where there is none. */
export function mappingOf(value: unknown, key: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return {}
  const inner = (value as Record<string, unknown>)[key]
  return typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as Record<string, unknown>) : {}
}

/** The list under a key of what was written; an empty one where there is none. */
export function entriesOf(value: unknown, key: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return []
  const inner = (value as Record<string, unknown>)[key]
  return Array.isArray(inner) ? inner : []
}
