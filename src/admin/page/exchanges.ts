import type { ExchangeRow } from '../../report/live-shapes.ts'
import { type Column, columnsOf, compareBy } from './columns.ts'
import { arrange, byId, element, setAttribute, setText } from './dom.ts'
import { Filters } from './filters.ts'
import type { Model } from './model.ts'
import { roundScale, Timeline } from './timeline.ts'

/** Rows beyond the edges of what is seen. */
const margin = 8

interface Shown {
  readonly row: HTMLTableRowElement
  readonly timeline: Timeline
  readonly exchange: ExchangeRow
  scale: number
}

/** The table of the last exchanges. Only the rows in sight are made, so that 500 cost no more than 30. */
export class ExchangesView {
  readonly #scroll = byId('exchange-scroll')
  readonly #body = byId<HTMLTableSectionElement>('exchange-rows')
  readonly #above = spacer()
  readonly #below = spacer()
  readonly #filters: Filters
  readonly #open: (exchange: ExchangeRow) => void
  #columns: Column[] = []
  #list: ExchangeRow[] = []
  #shown = new Map<string, Shown>()
  #rowHeight = 44
  #scale = 1000
  #model: Model | undefined
  #drawn = ''
  #columnsOf: unknown

  /** `changed` is called when the user filters or scrolls; `open` when one is chosen. */
  constructor(changed: () => void, open: (exchange: ExchangeRow) => void) {
    this.#open = open
    this.#filters = new Filters(changed)
    this.#scroll.addEventListener('scroll', changed, { passive: true })
    addEventListener('resize', changed, { passive: true })
    this.#body.addEventListener('click', ({ target }) => {
      const row = (target as Element).closest('tr')
      const found = [...this.#shown.values()].find((shown) => shown.row === row)
      if (found !== undefined) this.#open(found.exchange)
    })
  }

  render(model: Model): void {
    this.#model = model
    if (this.#columnsOf !== model.opening) this.#reset(model)
    const wanted = `${model.version} ${this.#filters.version}`
    if (this.#drawn !== wanted) this.#select(model, wanted)
    this.#draw()
  }

  #reset(model: Model): void {
    this.#columnsOf = model.opening
    this.#columns = columnsOf(model)
    this.#filters.setColumns(this.#columns)
    this.#shown.clear()
    const shown = this.#columns.filter((column) => column.shown)
    byId('exchange-head').replaceChildren(
      element('th', { scope: 'col' }, 'Model'),
      element('th', { scope: 'col', class: 'from-1 course' }, 'Course'),
      ...shown.map((column) => this.#filters.headOf(column)),
    )
  }

  #select(model: Model, wanted: string): void {
    this.#drawn = wanted
    const before = this.#list[0]?.serial ?? 0
    this.#filters.setChoices(model.exchanges)
    const kept = this.#filters.apply(model.exchanges)
    const column = this.#columns.find(({ key }) => key === this.#filters.sort)
    const newestFirst = column === undefined || (column.key === 'serial' && this.#filters.descending)
    this.#list = newestFirst ? kept : [...kept].sort(compareBy(column as Column, this.#filters.descending))
    const durations = kept.map((row) => model.course(row).until).sort((a, b) => a - b)
    this.#scale = roundScale(durations[Math.floor(durations.length * 0.9)] ?? 1000)
    // Who has scrolled down reads on: what comes in above must not push it away.
    if (newestFirst && before > 0 && this.#scroll.scrollTop > this.#rowHeight) {
      const added = this.#list.findIndex(({ serial }) => serial === before)
      if (added > 0) this.#scroll.scrollTop += added * this.#rowHeight
    }
    const { length } = this.#list
    const all = model.exchanges.length
    setText(
      byId('exchange-count'),
      length === all ? `${all} of at most ${model.opening?.room ?? 500}` : `${length} of ${all}`,
    )
    setAttribute(byId('exchange-table'), 'aria-rowcount', String(length + 1))
    byId('exchange-empty').textContent = all === 0 ? 'Nothing has ended yet.' : 'No exchange fits these filters.'
    byId('exchange-empty').hidden = length > 0
    this.#scroll.hidden = length === 0
  }

  #draw(): void {
    const { scrollTop, clientHeight } = this.#scroll
    const first = Math.max(0, Math.floor(scrollTop / this.#rowHeight) - margin)
    const rows = this.#list.slice(first, first + Math.ceil(clientHeight / this.#rowHeight) + 2 * margin)
    const shown = rows.map((exchange, index) => {
      const known = this.#shown.get(exchange.id) ?? this.#make(exchange)
      setAttribute(known.row, 'aria-rowindex', String(first + index + 2))
      if (known.scale !== this.#scale && this.#model !== undefined) {
        known.scale = this.#scale
        known.timeline.draw(this.#model.course(exchange), this.#scale)
      }
      return known
    })
    this.#shown = new Map(shown.map((one) => [one.exchange.id, one]))
    this.#above.style.height = `${first * this.#rowHeight}px`
    this.#below.style.height = `${Math.max(0, this.#list.length - first - rows.length) * this.#rowHeight}px`
    arrange(this.#body, [this.#above, ...shown.map(({ row }) => row), this.#below])
    const [one] = shown
    if (one !== undefined) this.#rowHeight = one.row.offsetHeight || this.#rowHeight
  }

  #make(exchange: ExchangeRow): Shown {
    const { model, method, path, app, gateway } = exchange
    const timeline = new Timeline()
    const name = model || `${method} ${path}`
    const head = element(
      'th',
      { scope: 'row' },
      element('button', { type: 'button', class: 'open', title: name }, name),
      element('small', { class: 'muted' }, [app, gateway].filter(Boolean).join(' · ')),
    )
    const cells = this.#columns
      .filter((column) => column.shown)
      .map((column) => element('td', { class: classOf(column) }, column.cell(exchange)))
    const row = element(
      'tr',
      { 'data-id': exchange.id },
      head,
      element('td', { class: 'from-1 course' }, timeline.svg),
      ...cells,
    )
    return { row, timeline, exchange, scale: 0 }
  }
}

export const classOf = ({ from, number, key }: Column): string => `from-${from} ${number ? 'number ' : ''}is-${key}`

const spacer = (): HTMLTableRowElement => element('tr', { class: 'spacer', 'aria-hidden': 'true' })
