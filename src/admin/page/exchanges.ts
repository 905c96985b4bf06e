import type { ExchangeRow } from '../../report/live-shapes.ts'
import { type Column, classOf, columnsOf, compareBy } from './columns.ts'
import { arrange, byId, element, setAttribute, setText } from './dom.ts'
import { Filters } from './filters.ts'
import type { Model } from './model.ts'
import { roundScale, Timeline } from './timeline.ts'

/** Rows beyond the edges of what is seen. */
const margin = 3
/** px of a row before one was seen. */
const usualHeight = 44

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
  #rowHeight = 0
  /** What is in sight, as it was when the frame began. */
  #top = 0
  #height = 0
  /** How far rows that came in above have pushed what is in sight, px. */
  #pushed = 0
  #scale = 1000
  #model: Model | undefined
  #drawn = ''
  #columnsOf: unknown

  /** `changed` is called when the user filters or scrolls; `open` when one is chosen. */
  constructor(changed: () => void, open: (exchange: ExchangeRow) => void) {
    this.#open = open
    this.#filters = new Filters(changed)
    this.#scroll.addEventListener('scroll', changed, { passive: true })
    addEventListener(
      'resize',
      () => {
        this.#rowHeight = 0
        changed()
      },
      { passive: true },
    )
    this.#body.addEventListener('click', ({ target }) => {
      const row = (target as Element).closest('tr')
      const found = [...this.#shown.values()].find((shown) => shown.row === row)
      if (found !== undefined) this.#open(found.exchange)
    })
  }

  /** Reads of the page's layout, before anybody has changed something: later they would make the browser lay out twice. */
  measure(): void {
    this.#top = this.#scroll.scrollTop
    this.#height = this.#scroll.clientHeight
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
    if (newestFirst && before > 0 && this.#top > this.#rowHeight) {
      this.#pushed =
        Math.max(
          0,
          this.#list.findIndex(({ serial }) => serial === before),
        ) * this.#rowHeight
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
    const height = this.#rowHeight || usualHeight
    const first = Math.max(0, Math.floor((this.#top + this.#pushed) / height) - margin)
    const rows = this.#list.slice(first, first + Math.ceil((this.#height || usualHeight * 12) / height) + 2 * margin)
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
    this.#above.style.height = `${first * height}px`
    this.#below.style.height = `${Math.max(0, this.#list.length - first - rows.length) * height}px`
    arrange(this.#body, [this.#above, ...shown.map(({ row }) => row), this.#below])
    if (this.#pushed > 0) this.#scroll.scrollTop = this.#top + this.#pushed
    this.#pushed = 0
    // Once, and anew when the window changes: reading it makes the browser lay out.
    if (this.#rowHeight === 0) this.#rowHeight = shown[0]?.row.offsetHeight ?? 0
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

const spacer = (): HTMLTableRowElement => element('tr', { class: 'spacer', 'aria-hidden': 'true' })
