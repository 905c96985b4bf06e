import type { Distribution, ModelRow, ModelWindow } from '../../report/live-shapes.ts'
import { bars } from './distribution.ts'
import { byId, element } from './dom.ts'
import { count, dollars, milliseconds, number, percent, rate, seconds } from './format.ts'
import type { Model } from './model.ts'

type Mode = 'interactive' | 'batch'
type Entry = ModelRow & { readonly shown: ModelWindow }

const helps: Readonly<Record<Mode, string>> = {
  interactive: 'Somebody waits: ordered by the time to the first token, then to the first answer.',
  batch: 'Nobody waits: ordered by the rate of tokens, then of characters.',
}
const spans = ['5 min', '1 h', 'since start'] as const
/** Fewer are marked: their percentiles move a lot. */
const small = 20

interface Column {
  readonly title: string
  readonly number?: boolean
  cell(window: ModelWindow): Node | string
}

function percentile(value: number | null, n: number, need: number, text: (value: number) => string): Node {
  if (value !== null) return number(value, text(value))
  return element('span', { class: 'none', title: `needs ${need} exchanges, has ${n}` }, '–')
}

const p50 = (of: Distribution, text: (value: number) => string): Node => percentile(of.p50, of.n, 5, text)
const p95 = (of: Distribution, text: (value: number) => string): Node => percentile(of.p95, of.n, 59, text)

const columns: readonly Column[] = [
  { title: 'n', number: true, cell: ({ n }) => sample(n) },
  { title: 'First token p50, s', number: true, cell: ({ ttft }) => p50(ttft, seconds) },
  { title: 'p95', number: true, cell: ({ ttft }) => p95(ttft, seconds) },
  { title: 'Spread', cell: ({ ttft }) => bars(ttft, 'time') },
  { title: 'First answer p50, s', number: true, cell: ({ answer }) => p50(answer, seconds) },
  { title: 'Tokens/s p50', number: true, cell: ({ rate: of }) => p50(of, rate) },
  { title: 'Spread', cell: ({ rate: of }) => bars(of, 'rate') },
  { title: 'Chars/s p50', number: true, cell: ({ chars }) => p50(chars, rate) },
  { title: 'Per token p50, ms', number: true, cell: ({ tpot }) => p50(tpot, (value) => milliseconds(value * 1000)) },
  {
    title: 'Failed',
    number: true,
    cell: ({ errors, n }) => (errors === 0 ? '0 %' : element('span', { class: 'bad' }, percent(errors, n))),
  },
  {
    title: 'Cache hits',
    number: true,
    cell: ({ cacheHits, cacheKnown }) =>
      cacheKnown === 0
        ? element('span', { class: 'none', title: 'no gateway tells' }, '–')
        : percent(cacheHits, cacheKnown),
  },
  {
    title: 'Cost',
    number: true,
    cell: ({ costUsd }) =>
      costUsd === null
        ? element('span', { class: 'none', title: 'neither reported nor in the price table' }, '–')
        : dollars(costUsd),
  },
]

function sample(n: number): Node {
  if (n >= small) return number(n, count(n))
  return element(
    'span',
    { title: `fewer than ${small}: percentiles move a lot` },
    number(n, count(n)),
    element('span', { class: 'badge few' }, 'few'),
  )
}

/** Smallest first; what is not known stands at the end. */
const ascending = (a: number | null, b: number | null): number =>
  a === b ? 0 : a === null ? 1 : b === null ? -1 : a - b

const descending = (a: number | null, b: number | null): number => (a === null || b === null ? ascending(a, b) : b - a)

const orders: Readonly<Record<Mode, (a: ModelWindow, b: ModelWindow) => number>> = {
  interactive: (a, b) => ascending(a.ttft.p50, b.ttft.p50) || ascending(a.answer.p50, b.answer.p50) || b.n - a.n,
  batch: (a, b) => descending(a.rate.p50, b.rate.p50) || descending(a.chars.p50, b.chars.p50) || b.n - a.n,
}

/** Models side by side, each as one gateway serves it. */
export class ModelsView {
  #mode: Mode = 'interactive'
  #span = 0
  #drawn = ''

  constructor(changed: () => void) {
    byId('mode').append(
      ...(['interactive', 'batch'] as const).map((mode, index) =>
        choice('mode', mode, index === 0, () => {
          this.#mode = mode
          changed()
        }),
      ),
    )
    byId('window').append(
      ...spans.map((name, index) =>
        choice('window', name, index === 0, () => {
          this.#span = index
          changed()
        }),
      ),
    )
    byId('model-head').append(
      element('th', { scope: 'col' }, 'Model'),
      ...columns.map(({ title, number: isNumber }) =>
        element('th', { scope: 'col', class: isNumber ? 'number' : 'spread' }, title),
      ),
    )
  }

  render(model: Model): void {
    const wanted = `${model.slowVersion} ${this.#mode} ${this.#span}`
    if (this.#drawn === wanted) return
    this.#drawn = wanted
    const order = orders[this.#mode]
    const entries = model.models
      .flatMap((row): Entry[] => {
        const shown = row.windows[this.#span]
        return shown == null ? [] : [{ ...row, shown }]
      })
      .sort((a, b) => order(a.shown, b.shown))
    byId('mode-help').textContent = helps[this.#mode]
    byId('model-empty').hidden = entries.length > 0
    byId('model-scroll').hidden = entries.length === 0
    byId('model-rows').replaceChildren(...entries.map(rowOf))
  }
}

function rowOf({ model, gateway, shown }: Entry): HTMLTableRowElement {
  const cells = columns.map(({ number: isNumber, cell }) =>
    element('td', { class: isNumber ? 'number' : 'spread' }, cell(shown)),
  )
  const head = element(
    'th',
    { scope: 'row' },
    element('span', { class: 'name', title: model }, model),
    element('small', { class: 'muted' }, gateway),
  )
  return element('tr', {}, head, ...cells)
}

function choice(group: string, label: string, checked: boolean, chosen: () => void): HTMLLabelElement {
  const input = element('input', { type: 'radio', name: group, value: label })
  input.checked = checked
  input.addEventListener('change', chosen)
  return element('label', {}, input, element('span', {}, label))
}
