import type { ExchangeDetail } from '../../report/live-shapes.ts'
import { element, vector } from './dom.ts'
import { milliseconds } from './format.ts'
import type { Course } from './timeline.ts'

interface Phase {
  readonly title: string
  readonly kind: string
  readonly from: number | undefined
  readonly to: number | undefined
}

/** Every phase between two marks, in the order of time; one may lie inside another. */
function phasesOf({ mark, streamed }: Course): Phase[] {
  const first = streamed ? mark('firstToken') : mark('firstByte')
  const last = streamed ? mark('lastToken') : mark('ended')
  return [
    { title: 'Request upload', kind: 'upload', from: 0, to: mark('bodyReceived') },
    { title: 'Inside the proxy', kind: 'upload', from: mark('bodyReceived') ?? 0, to: mark('dispatched') },
    { title: 'Connection', kind: 'connect', from: mark('dispatched'), to: mark('sent') },
    { title: 'Waiting for headers', kind: 'wait', from: mark('sent'), to: mark('headers') ?? mark('ended') },
    { title: 'Headers to first byte', kind: 'wait', from: mark('headers'), to: mark('firstByte') },
    { title: 'First byte to first token', kind: 'wait', from: mark('firstByte'), to: streamed ? first : undefined },
    { title: 'Reasoning', kind: 'reasoning', from: mark('firstReasoning'), to: mark('firstAnswer') ?? last },
    { title: streamed ? 'Answer' : 'Body', kind: 'answer', from: streamed ? mark('firstAnswer') : first, to: last },
    { title: 'Last token to end', kind: 'tail', from: streamed ? last : undefined, to: mark('ended') },
  ]
}

/** Bars of all phases under one another, and the chunks below them. */
export function waterfall(course: Course, { instants, stride }: ExchangeDetail): HTMLElement {
  const total = Math.max(course.until, 0.001)
  const rows = phasesOf(course).flatMap(({ title, kind, from, to }) => {
    if (from === undefined || to === undefined || to < from) return []
    const bar = element('span', { class: `bar ${kind}` })
    bar.style.insetInlineStart = `${(100 * from) / total}%`
    bar.style.inlineSize = `${(100 * (to - from)) / total}%`
    return [
      element(
        'li',
        {},
        element('span', { class: 'label' }, title),
        element('span', { class: 'lane' }, bar),
        element('span', { class: 'number' }, `${milliseconds(to - from)} ms`),
      ),
    ]
  })
  if (instants.length > 0) {
    const ticks = vector(
      'svg',
      { viewBox: '0 0 1000 20', preserveAspectRatio: 'none', class: 'timeline', 'aria-hidden': 'true' },
      vector('path', { class: 'ticks', d: instants.map((at) => `M${(1000 * at) / total} 3V17`).join('') }),
    )
    const title = stride === 1 ? 'Chunks with output' : `Every ${stride}th chunk with output`
    rows.push(
      element(
        'li',
        {},
        element('span', { class: 'label' }, title),
        element('span', { class: 'lane' }, ticks),
        element('span', { class: 'number' }, `${instants.length}`),
      ),
    )
  }
  return element('ol', { class: 'waterfall' }, ...rows)
}

/** Every mark and what lies between it and the one before. */
export function markTable(course: Course, names: readonly string[]): HTMLElement {
  const marks = names.flatMap((name) => {
    const at = course.mark(name)
    return at === undefined ? [] : [{ name, at }]
  })
  marks.sort((a, b) => a.at - b.at)
  const rows = marks.map(({ name, at }, index) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, name),
      element('td', { class: 'number' }, at.toFixed(3)),
      element('td', { class: 'number muted' }, index === 0 ? '' : `+${(at - (marks[index - 1]?.at ?? 0)).toFixed(3)}`),
    ),
  )
  return element(
    'table',
    { class: 'marks' },
    element('caption', {}, 'Marks, ms after the request was received'),
    element('tbody', {}, ...rows),
  )
}
