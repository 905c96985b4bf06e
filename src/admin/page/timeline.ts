import { setAttribute, vector } from './dom.ts'

/** What a timeline is drawn from; instants in ms after `received`. */
export interface Course {
  mark(name: string): number | undefined
  /** The end, or now. */
  readonly until: number
  readonly running: boolean
  readonly streamed: boolean
  /** The outcome is an error. */
  readonly failed: boolean
  readonly instants: readonly number[]
  readonly stalls: readonly (readonly [number, number])[]
}

export type SegmentKind = 'upload' | 'connect' | 'wait' | 'reasoning' | 'answer' | 'tail'

export interface Segment {
  readonly kind: SegmentKind
  readonly from: number
  readonly to: number
}

/** A silence as long as this in a running stream is a stall already. */
const stallMs = 1000

/** The phases of an exchange, one after another; those that did not happen are left out. */
export function segmentsOf(course: Course): Segment[] {
  const { until } = course
  const dispatched = course.mark('dispatched') ?? until
  const sent = course.mark('sent') ?? (course.running ? until : dispatched)
  const firstToken = course.streamed ? course.mark('firstToken') : course.mark('firstByte')
  const lastToken = course.streamed ? course.mark('lastToken') : course.mark('ended')
  const reasoningFrom = course.mark('firstReasoning')
  const answerFrom = course.streamed ? course.mark('firstAnswer') : firstToken
  const talksUntil = course.running && lastToken !== undefined ? lastToken : (lastToken ?? until)
  const all: Segment[] = [
    { kind: 'upload', from: 0, to: dispatched },
    { kind: 'connect', from: dispatched, to: sent },
    { kind: 'wait', from: sent, to: firstToken ?? until },
  ]
  if (reasoningFrom !== undefined) all.push({ kind: 'reasoning', from: reasoningFrom, to: answerFrom ?? talksUntil })
  if (answerFrom !== undefined) all.push({ kind: 'answer', from: answerFrom, to: talksUntil })
  if (firstToken !== undefined) all.push({ kind: 'tail', from: talksUntil, to: until })
  return all.filter(({ from, to }) => to > from)
}

const height = 20
const width = 1000

/** An SVG whose paths are made once and moved as the exchange grows: seven elements, however many chunks. */
export class Timeline {
  readonly svg: SVGSVGElement
  readonly #segments: ReadonlyMap<SegmentKind, SVGPathElement>
  readonly #stalls = vector('path', { class: 'stall' })
  readonly #ticks = vector('path', { class: 'ticks' })
  readonly #marks = vector('path', { class: 'marks' })
  readonly #end = vector('path', { class: 'end' })

  constructor() {
    const kinds: SegmentKind[] = ['upload', 'connect', 'wait', 'reasoning', 'answer', 'tail']
    this.#segments = new Map(kinds.map((kind) => [kind, vector('path', { class: kind })]))
    this.svg = vector(
      'svg',
      { class: 'timeline', viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      ...this.#segments.values(),
      this.#stalls,
      this.#marks,
      this.#ticks,
      this.#end,
    )
  }

  /** `scale`: ms at the right edge. What is longer is cut there. */
  draw(course: Course, scale: number): void {
    const x = (ms: number): number => Math.round((Math.min(ms, scale) / scale) * width * 10) / 10
    const box = (from: number, to: number): string =>
      from >= scale ? '' : `M${x(from)} 2H${Math.max(x(to), x(from) + 1)}V${height - 2}H${x(from)}Z`
    const drawn = new Map(segmentsOf(course).map(({ kind, from, to }) => [kind, box(from, to)]))
    for (const [kind, path] of this.#segments) setAttribute(path, 'd', drawn.get(kind) ?? '')
    const last = course.mark('lastToken')
    const silent = course.running && last !== undefined && course.until - last > stallMs
    const stalls = silent ? [...course.stalls, [last, course.until] as const] : course.stalls
    setAttribute(this.#stalls, 'd', stalls.map(([from, to]) => box(from, to)).join(''))
    const line = (at: number, top: number): string => (at > scale ? '' : `M${x(at)} ${top}V${height - top}`)
    setAttribute(this.#ticks, 'd', course.instants.map((at) => line(at, 4)).join(''))
    const heads = ['headers', 'firstByte'].map((name) => course.mark(name)).filter((at) => at !== undefined)
    setAttribute(this.#marks, 'd', heads.map((at) => line(at, 0)).join(''))
    setAttribute(this.#end, 'd', course.running ? '' : `M${Math.min(x(course.until), width - 2)} 0V${height}`)
    this.svg.classList.toggle('failed', course.failed)
    this.svg.classList.toggle('cut', course.until > scale)
  }
}

const steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600]

/** The next round number of seconds, in ms. */
export const roundScale = (ms: number): number => 1000 * (steps.find((step) => step * 1000 >= ms) ?? 7200)
