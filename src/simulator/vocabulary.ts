import type { Random } from './random.ts'

const words = (
  'a the of to and in is it that for with as on this are be by not from or an at which one can more when into ' +
  'than other about only some time water river stream gauge level flow bank bridge measure number second first ' +
  'slow fast wide deep long short clear north south between below above naïve café über señor Ελλάδα 水 川 →'
).split(' ')
const stops = ['.', ',', '.\n\n', ':', ' –', ' 🙂']

/**
 * Texts of `count` tokens. One token is one text; together they read like prose. Some are outside ASCII, and some outside
 * the basic plane, so that a meter that counts bytes or UTF-16 units is caught.
 */
export function tokenTexts(random: Random, count: number): string[] {
  const texts: string[] = []
  for (let at = 0; at < count; at++) {
    if (at > 0 && at % 9 === 8) texts.push(random.pick(stops))
    else texts.push(at === 0 ? random.pick(words) : ` ${random.pick(words)}`)
  }
  return texts
}

/** Unicode code points. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** The simulator's own rule for prompts, so that counts can be foretold: four code points are a token, rounded up. */
export function promptTokens(text: string): number {
  return Math.max(1, Math.ceil(codePoints(text) / 4))
}
