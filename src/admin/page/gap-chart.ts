import type { ExchangeDetail } from '../../report/live-shapes.ts'
import { element, vector } from './dom.ts'

const lowestMs = 0.5
const decades = [1, 10, 100, 1000, 10_000, 100_000]

const line = (text: string): Node => element('span', {}, text)
const short = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`)

/** Each gap between two chunks with output where it came, on a logarithmic scale; beside it how often each length came. */
export function gapCharts({ instants, stride, gaps }: ExchangeDetail): HTMLElement {
  if (gaps.count === 0 && instants.length < 2) {
    return element('p', { class: 'empty' }, 'Fewer than two chunks held output: there is no time between chunks.')
  }
  return element('div', { class: 'gaps' }, scatter(instants, stride), histogram(gaps))
}

function scatter(instants: readonly number[], stride: number): HTMLElement {
  const points = instants
    .slice(1)
    .map((at, index) => ({ at, gap: Math.max(lowestMs, (at - (instants[index] ?? 0)) / stride) }))
  const longest = Math.max(10, ...points.map(({ gap }) => gap))
  const top = decades.find((decade) => decade >= longest) ?? longest
  const [from, to] = [instants[0] ?? 0, instants.at(-1) ?? 1]
  const x = (at: number): number => (1000 * (at - from)) / Math.max(1, to - from)
  const y = (ms: number): number => 200 - (200 * Math.log(ms / lowestMs)) / Math.log(top / lowestMs)
  const shown = decades.filter((decade) => decade <= top)
  const chart = vector(
    'svg',
    { viewBox: '0 0 1000 200', preserveAspectRatio: 'none', class: 'scatter', 'aria-hidden': 'true' },
    vector('path', { class: 'grid', d: shown.map((ms) => `M0 ${y(ms)}H1000`).join('') }),
    // A line of no length with round ends is a dot, whatever the picture's proportions.
    vector('path', {
      class: 'dots',
      d: points.map(({ at, gap }) => `M${x(at).toFixed(1)} ${y(gap).toFixed(1)}h0.01`).join(''),
    }),
  )
  const labels = shown.map((ms) => {
    const label = element('span', {}, short(ms))
    label.style.insetBlockStart = `${y(ms) / 2}%`
    return label
  })
  const what =
    stride === 1 ? 'Time between chunks, as they came' : `Time between chunks, each dot the mean of ${stride}`
  return element(
    'figure',
    {},
    element('figcaption', {}, what),
    element('div', { class: 'plot' }, element('div', { class: 'scale' }, ...labels), chart),
    element(
      'div',
      { class: 'ends' },
      line(`${(from / 1000).toFixed(2)} s`),
      line(`${(to / 1000).toFixed(2)} s after the request`),
    ),
  )
}

function histogram({ bounds, counts, count }: ExchangeDetail['gaps']): HTMLElement {
  const first = counts.findIndex((n) => n > 0)
  const last = counts.findLastIndex((n) => n > 0)
  const range = counts.slice(first, last + 1)
  const most = Math.max(1, ...range)
  const rows = range.map((n, index) => {
    const bound = bounds[first + index]
    const bar = element('span', { class: 'bar answer' })
    bar.style.inlineSize = `${(100 * n) / most}%`
    bar.hidden = n === 0
    return element(
      'li',
      {},
      element(
        'span',
        { class: 'label' },
        bound === undefined
          ? `over ${short((bounds.at(-1) ?? 0) * 1000)}`
          : `to ${short(Number((bound * 1000).toPrecision(3)))}`,
      ),
      element('span', { class: 'lane' }, bar),
      element('span', { class: 'number' }, String(n)),
    )
  })
  return element(
    'figure',
    {},
    element('figcaption', {}, `All ${count} times between chunks, by length`),
    element('ol', { class: 'waterfall slim' }, ...rows),
  )
}
