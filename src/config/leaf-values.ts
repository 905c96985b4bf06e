import { isIP } from 'node:net'
import * as z from 'zod'
import { complaint } from './complaint.ts'

/** Longest wait a Node timer can hold (2^31 - 1 ms); a longer one would fire at once. */
export const longestDuration = 2 ** 31 - 1

const durationUnits = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const sizeUnits = { B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }
const durationText = /^(?:0|(\d+(?:\.\d+)?) ?(ms|s|m|h|d))$/
const sizeText = /^(\d+(?:\.\d+)?) ?(B|kB|KB|MB|GB|KiB|MiB|GiB)$/

const durationExpected = 'a duration such as 250ms, 10s, 30m or 2h'
const sizeExpected = 'a size such as 64KiB or 64MiB, or a whole number of bytes'

/** A duration with its unit, in milliseconds once read. A bare number is refused: nobody can know its unit. `zero` allows 0. */
export function duration(zero: 'zero allowed' | 'above zero') {
  const expected = zero === 'zero allowed' ? `${durationExpected}, or 0` : durationExpected
  const complain = complaint(expected)
  return z
    .union([z.string().regex(durationText, { error: complain }), z.literal(0)], {
      error: (issue) =>
        typeof issue.input === 'number' && issue.input !== 0
          ? `${issue.input} has no unit; expected ${expected}`
          : complain(issue),
    })
    .transform((text, context) => {
      const [, amount, unit] = durationText.exec(String(text)) ?? []
      const value =
        amount === undefined ? 0 : Math.round(Number(amount) * durationUnits[unit as keyof typeof durationUnits])
      if (value > longestDuration) refuse(context, `${text} is too long; expected at most 24d`)
      if (value === 0 && (zero === 'above zero' || Number(amount) > 0))
        refuse(context, `${text} is too short; expected at least 1ms`)
      return value
    })
    .meta({ title: 'duration' })
}

/** A size with its unit, or a whole number of bytes; in bytes once read. */
export function size(least: number, most: number) {
  const error = complaint(sizeExpected)
  return z
    .union([z.string().regex(sizeText, { error }), z.int()], { error })
    .transform((text, context) => {
      const [, amount, unit] = sizeText.exec(String(text)) ?? [undefined, String(text), 'B']
      const value = Math.round(Number(amount) * sizeUnits[unit as keyof typeof sizeUnits])
      if (value < least || value > most) {
        refuse(context, `${text} is out of range; expected from ${showSize(least)} to ${showSize(most)}`)
      }
      return value
    })
    .meta({ title: 'size' })
}

export function whole(least: number, most: number) {
  const error = complaint(`a whole number from ${least} to ${most}`)
  return z.int({ error }).min(least, { error }).max(most, { error })
}

/** A number of US dollars. */
export function price() {
  const error = complaint('a price in USD per million tokens, 0 or more')
  return z.number({ error }).min(0, { error })
}

export function flag() {
  return z.boolean({ error: complaint('true or false') })
}

/** Text of at least one character, without spaces at its ends and without control characters. */
export function text(expected: string) {
  const error = complaint(expected)
  return z.string({ error }).refine((value) => value !== '' && value === value.trim() && !hasControl(value), { error })
}

/** An address to listen on. */
export function host() {
  const error = complaint('an IP address or a host name to listen on, such as 127.0.0.1, ::1 or 0.0.0.0')
  return z.string({ error }).refine((value) => isIP(value) !== 0 || isHostName(value), { error })
}

export function isHostName(value: string): boolean {
  return (
    value.length <= 253 &&
    /^[a-z\d_]([a-z\d_-]*[a-z\d_])?(\.[a-z\d_]([a-z\d_-]*[a-z\d_])?)*\.?$/i.test(value) &&
    !/^[\d.]+$/.test(value)
  )
}

export function hasControl(value: string): boolean {
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index)
    if (code < 32 || code === 127) return true
  }
  return false
}

/** The shortest exact way to write a duration given in milliseconds. */
export function showDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0'
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    if (milliseconds % durationUnits[unit] === 0) return `${milliseconds / durationUnits[unit]}${unit}`
  }
  return `${milliseconds}ms`
}

/** The shortest exact way to write a size given in bytes. */
export function showSize(bytes: number): string {
  for (const unit of ['GiB', 'MiB', 'KiB'] as const) {
    if (bytes > 0 && bytes % sizeUnits[unit] === 0) return `${bytes / sizeUnits[unit]}${unit}`
  }
  return `${bytes}B`
}

function refuse(context: z.core.$RefinementCtx, message: string): void {
  context.issues.push({ code: 'custom', message, input: context.value })
}
