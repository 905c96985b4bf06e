import type { Figure } from './figure.ts'
import type { Generation } from './rates.ts'
import type { StreamMeasurement } from './stream-measurement.ts'

export interface WorkedFigure {
  /** The formula as it holds for this exchange. */
  readonly expression: string
  /** The same with the numbers put in, marks in seconds after `received`: arithmetic that gives the figure in its unit. */
  readonly numbers: string
}

const words = /\b[A-Za-z][A-Za-z0-9]*\b/g

/** A figure's formula with the numbers of one exchange put in, or `undefined` where the record does not hold them all. */
export function workOut(figure: Figure, m: StreamMeasurement, g: Generation): WorkedFigure | undefined {
  const expression = figure.expression === undefined ? figure.formula : figure.expression(m, g)
  if (expression === undefined) return undefined
  const terms = termsOf(m, g)
  const missing = (expression.match(words) ?? []).some((word) => !terms.has(word))
  if (missing) return undefined
  return { expression, numbers: expression.replace(words, (word) => terms.get(word) as string) }
}

function termsOf(m: StreamMeasurement, g: Generation): Map<string, string> {
  const { events, chars, firstChunkEvents, firstChunkChars } = g.counts
  const counts = {
    N: g.tokens,
    N1: g.firstChunkTokens,
    E: events,
    E1: firstChunkEvents,
    C: chars,
    C1: firstChunkChars,
    // Of all output, also where the counts above are of the answer alone.
    events: m.output.all.events,
    chunks: m.output.all.chunks,
  }
  const terms = new Map<string, string>()
  for (const [name, count] of Object.entries(counts)) if (count !== undefined) terms.set(name, String(count))
  for (const [name, mark] of Object.entries(m.marks) as [string, number | undefined][]) {
    if (mark !== undefined) terms.set(name, ((mark - m.marks.received) / 1000).toFixed(6))
  }
  return terms
}
