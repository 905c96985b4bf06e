// Looking at JSON as bytes: where its strings lie and how many code points they hold, without parsing it.

const quote = 0x22
const backslash = 0x5c

/** 1 for the bytes that stand for themselves in a string. */
const plain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte < 0x80 && byte !== quote && byte !== backslash ? 1 : 0,
)

/** A value in JSON text: the bytes between a string's quotes, or a number's digits. */
export interface JsonSpan {
  readonly kind: 'string' | 'number'
  /** The key that stands directly before it. */
  readonly key: string
  readonly start: number
  readonly end: number
}

/** The strings and the whole numbers from 0 up that are values of keys in `bytes[start, end)`, which must be valid JSON. */
export function spansOf(bytes: Buffer, start: number, end: number): JsonSpan[] {
  const spans: JsonSpan[] = []
  let key: string | undefined
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number
    if (byte === quote) {
      const close = closingQuote(bytes, at + 1, end)
      if (key !== undefined) spans.push({ kind: 'string', key, start: at + 1, end: close })
      const isKey = nextByte(bytes, close + 1, end) === 0x3a
      key = isKey ? bytes.toString('utf8', at + 1, close) : undefined
      at = isKey ? bytes.indexOf(0x3a, close) : close
    } else if (byte >= 0x30 && byte <= 0x39 && key !== undefined) {
      const stop = numberEnd(bytes, at, end)
      if (stop !== -1) spans.push({ kind: 'number', key, start: at, end: stop })
      key = undefined
    } else if (byte > 0x20) key = undefined
  }
  return spans
}

/** End of a whole number that begins at `at`, without fraction or exponent; else -1. */
export function numberEnd(bytes: Buffer, at: number, end: number): number {
  let stop = at
  while (stop < end && isDigit(bytes[stop] as number)) stop++
  const length = stop - at
  const next = bytes[stop]
  if (length === 0 || length > 16 || (length > 1 && bytes[at] === 0x30)) return -1
  return stop < end && (next === 0x2c || next === 0x7d || next === 0x5d) ? stop : -1
}

/** Code points that `countedString` found last. */
export let codePoints = 0

/**
 * HOT PATH. Index of the quote that closes the string whose content begins at `at`, its code points in `codePoints`;
 * -1 where the string is not plainly valid: a control character, an unknown escape, bytes that are not UTF-8, no end.
 */
export function countedString(bytes: Buffer, at: number, end: number): number {
  let index = at
  // Bytes that belong to a code point counted already.
  let further = 0
  while (index < end) {
    const byte = bytes[index] as number
    if (plain[byte] === 1) {
      index++
      continue
    }
    if (byte === quote) {
      codePoints = index - at - further
      return index
    }
    const length = byte === backslash ? escapeLength(bytes, index, end) : sequenceLength(bytes, index, end)
    if (length === 0) return -1
    index += length
    further += length - 1
  }
  return -1
}

/** Bytes of an escape, of both when two make a surrogate pair; 0: not valid. */
function escapeLength(bytes: Buffer, at: number, end: number): number {
  const letter = bytes[at + 1]
  if (at + 1 >= end || letter === undefined) return 0
  if (letter !== 0x75) return '"\\/bfnrt'.includes(String.fromCharCode(letter)) ? 2 : 0
  const unit = codeUnit(bytes, at, end)
  if (unit === -1) return 0
  if ((unit & 0xfc00) !== 0xd800 || bytes[at + 6] !== backslash || bytes[at + 7] !== 0x75) return 6
  return (codeUnit(bytes, at + 6, end) & 0xfc00) === 0xdc00 ? 12 : 6
}

/** Value of a `\u` escape, or -1. */
function codeUnit(bytes: Buffer, at: number, end: number): number {
  if (at + 6 > end) return -1
  let unit = 0
  for (let index = at + 2; index < at + 6; index++) {
    const byte = bytes[index] as number
    const lower = byte | 0x20
    if (isDigit(byte)) unit = unit * 16 + byte - 0x30
    else if (lower >= 0x61 && lower <= 0x66) unit = unit * 16 + lower - 0x57
    else return -1
  }
  return unit
}

/** Bytes of a UTF-8 sequence of more than one; 0: the bytes are none (RFC 3629), or a control character. */
function sequenceLength(bytes: Buffer, at: number, end: number): number {
  const lead = bytes[at] as number
  const length =
    lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0
  if (length === 0 || at + length > end) return 0
  const second = bytes[at + 1] as number
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  if (second < least || second > most) return 0
  for (let index = at + 2; index < at + length; index++) if (((bytes[index] as number) & 0xc0) !== 0x80) return 0
  return length
}

function closingQuote(bytes: Buffer, at: number, end: number): number {
  let index = at
  while (index < end && bytes[index] !== quote) index += bytes[index] === backslash ? 2 : 1
  return index
}

function nextByte(bytes: Buffer, at: number, end: number): number | undefined {
  let index = at
  while (index < end && (bytes[index] as number) <= 0x20) index++
  return bytes[index]
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}
