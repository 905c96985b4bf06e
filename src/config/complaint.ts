/** Words for what was found where something else was expected; `secret` keeps the value itself out of them. */
export function complaint(
  expected: string,
  value: 'shown' | 'secret' = 'shown',
): (issue: { input?: unknown }) => string {
  return ({ input }) =>
    input === undefined
      ? `is missing; expected ${expected}`
      : `got ${value === 'shown' ? shown(input) : kind(input)}; expected ${expected}`
}

function shown(input: unknown): string {
  if (typeof input === 'string') return JSON.stringify(input.length > 80 ? `${input.slice(0, 79)}…` : input)
  if (typeof input === 'number' || typeof input === 'boolean' || input === null) return String(input)
  return kind(input)
}

function kind(input: unknown): string {
  if (input === null) return 'nothing'
  if (Array.isArray(input)) return 'a list'
  if (typeof input === 'object') return 'a mapping'
  if (typeof input === 'string') return input === '' ? 'an empty text' : 'a text'
  return `a ${typeof input}`
}
