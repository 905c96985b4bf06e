// Gateways send what they like: nothing of a parsed answer is believed before it was looked at.

/** A JSON object of which nothing is known; name the fields that are looked for as `unknown`. */
export type Loose<Field extends string> = { readonly [Name in Field]?: unknown }

/** The value as an object (an array too), else undefined. */
export function objectOf<Field extends string>(value: unknown): Loose<Field> | undefined {
  return typeof value === 'object' && value !== null ? (value as Loose<Field>) : undefined
}

const none: readonly unknown[] = []

/** The value as an array, else an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : none
}

/** The value as a string that is not empty, else undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The value as a count: a whole number from 0 up that a double holds exactly; else undefined. */
export function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
}

/** Control characters, and halves of a surrogate pair (also one that the cut leaves). */
const unfit = /[\p{Cc}\p{Cs}]/gu

/** Text fit for a label or a log line: control characters replaced, cut to `length` UTF-16 units. Empty: undefined. */
export function labelOf(value: unknown, length = 64): string | undefined {
  const text = textOf(value)
  if (text === undefined) return undefined
  return text.slice(0, length).replace(unfit, '\u00b7')
}

/** Unicode code points; a surrogate without its other half counts as one. */
export function codePointsOf(text: string): number {
  const length = text.length
  let count = length
  for (let at = 0; at < length; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || at + 1 === length) continue
    if ((text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      count--
      at++
    }
  }
  return count
}
