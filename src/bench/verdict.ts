import type { Random } from './random.ts'
import { ascending, type Interval, median } from './statistics.ts'
import { medianRatio } from './statistics-bootstrap.ts'
import { holm, mannWhitney } from './statistics-tests.ts'

/** One question: is the second sample worse than the first? */
export interface Question {
  readonly before: readonly number[]
  readonly after: readonly number[]
  /** Rates: more is better. Times and costs: less is. */
  readonly better: 'less' | 'more'
}

export type Verdict = 'worse' | 'no worse' | 'inconclusive'

export interface Answer {
  readonly verdict: Verdict
  readonly before: number | undefined
  readonly after: number | undefined
  /** How much worse: above 1 is worse, whichever direction is better. `undefined`: too little to say. */
  readonly ratio: number | undefined
  readonly interval: Interval | undefined
  /** Mann-Whitney, two-sided; and after Holm's correction for all questions asked together. */
  readonly p: number | undefined
  readonly adjustedP: number | undefined
  /** Where inconclusive: about how many more values of each would decide; `undefined`: cannot be told, or beyond reason. */
  readonly moreNeeded: number | undefined
}

export const significance = 0.05
const mostMore = 2000

interface Weighed extends Omit<Answer, 'verdict' | 'adjustedP' | 'moreNeeded'> {
  readonly n: number
}

/**
 * Judges all questions together. *Worse*: the ratio's interval lies above 1, the ratio is over the tolerance, and the adjusted p is below 0.05.
 * *No worse*: the interval ends below the tolerance. Everything else is not decided.
 *
 * @param tolerance a share: 0.1 for 10 %
 */
export function judge(questions: readonly Question[], tolerance: number, random: Random): Answer[] {
  const weighed = questions.map((question) => weigh(question, random))
  const asked = weighed.filter(({ p }) => p !== undefined)
  const adjusted = holm(asked.map(({ p }) => p as number))
  return weighed.map((found): Answer => {
    const adjustedP = found.p === undefined ? undefined : adjusted[asked.indexOf(found)]
    const { n, ...kept } = found
    const verdict = verdictOf(found, adjustedP, 1 + tolerance)
    const moreNeeded = verdict === 'inconclusive' ? runsNeeded(found, 1 + tolerance) : undefined
    return { ...kept, adjustedP, verdict, moreNeeded }
  })
}

function weigh({ before, after, better }: Question, random: Random): Weighed {
  const [from, to] = better === 'less' ? [before, after] : [after, before]
  const found = medianRatio(from, to, random)
  return {
    before: median(ascending(before)),
    after: median(ascending(after)),
    ratio: found?.ratio,
    interval: found?.interval,
    p: found === undefined ? undefined : mannWhitney(before, after)?.p,
    n: Math.min(before.length, after.length),
  }
}

function verdictOf({ ratio, interval }: Weighed, adjustedP: number | undefined, limit: number): Verdict {
  if (ratio === undefined || interval === undefined || adjustedP === undefined) return 'inconclusive'
  if (ratio > limit && interval.low > 1 && adjustedP < significance) return 'worse'
  return interval.high < limit ? 'no worse' : 'inconclusive'
}

/** An interval narrows with the root of the number of values; it must become as narrow as the ratio is far from what would decide. */
function runsNeeded({ ratio, interval, n }: Weighed, limit: number): number | undefined {
  if (ratio === undefined || interval === undefined || !(interval.low > 0)) return undefined
  const halfWidth = Math.log(interval.high / interval.low) / 2
  const distance = ratio > limit ? Math.log(ratio) : Math.log(limit / ratio)
  const needed = Math.ceil(n * (halfWidth / distance) ** 2)
  // Never none: where the width would do, it is the correction for many questions that asks for more.
  const more = Math.max(needed - n, Math.ceil(n / 4))
  return Number.isFinite(more) && more <= mostMore ? more : undefined
}
