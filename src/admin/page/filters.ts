import type { ExchangeRow } from '../../report/live-shapes.ts'
import { type Column, classOf } from './columns.ts'
import { byId, element, setAttribute, setText } from './dom.ts'

const fields = ['app', 'gateway', 'model', 'outcome'] as const
const byTime = 'serial'

/** What the user wants to see of the exchanges, and in which order. */
export class Filters {
  sort = byTime
  descending = true
  /** Counts up with every change. */
  version = 0
  readonly #form = byId<HTMLFormElement>('filters')
  readonly #direction = byId<HTMLButtonElement>('direction')
  readonly #changed: () => void
  readonly #heads = new Map<string, HTMLTableCellElement>()
  readonly #known = new Map<string, string>()

  constructor(changed: () => void) {
    this.#changed = changed
    this.#form.addEventListener('change', () => this.#orderBy(this.#select('sort').value, true))
    this.#form.addEventListener('submit', (event) => event.preventDefault())
    this.#form.addEventListener('reset', () => setTimeout(() => this.#orderBy(byTime, true, true)))
    this.#direction.addEventListener('click', () => this.#orderBy(this.sort, !this.descending, true))
  }

  setColumns(columns: readonly Column[]): void {
    const options = columns.map(({ key, title }) => element('option', { value: key }, title))
    this.#select('sort').replaceChildren(...options)
    this.#heads.clear()
    this.#show()
  }

  /** The head of a column: a button that orders by it, and turns the order round. */
  headOf(column: Column): HTMLTableCellElement {
    const button = element('button', { type: 'button' }, column.title)
    button.addEventListener('click', () =>
      this.#orderBy(column.key, this.sort === column.key ? !this.descending : true, true),
    )
    const head = element('th', { scope: 'col', class: classOf(column) }, button)
    this.#heads.set(column.key, head)
    this.#show()
    return head
  }

  /** The names that occur, each to choose from. */
  setChoices(rows: readonly ExchangeRow[]): void {
    for (const field of fields) {
      const names = [...new Set(rows.map((row) => row[field]))].sort()
      const select = this.#select(field)
      const chosen = select.value
      // What is chosen stays to choose, also when its last exchange has gone.
      if (chosen !== '' && !names.includes(chosen.slice(1))) names.push(chosen.slice(1))
      const key = JSON.stringify(names)
      if (this.#known.get(field) === key) continue
      this.#known.set(field, key)
      const options = names.map((name) => element('option', { value: `=${name}` }, name || '(none)'))
      select.replaceChildren(element('option', { value: '' }, 'all'), ...options)
      select.value = chosen
    }
  }

  apply(rows: readonly ExchangeRow[]): ExchangeRow[] {
    const wanted = fields.flatMap((field) => {
      const { value } = this.#select(field)
      return value === '' ? [] : [{ field, name: value.slice(1) }]
    })
    return rows.filter((row) => wanted.every(({ field, name }) => row[field] === name))
  }

  #select(name: string): HTMLSelectElement {
    return this.#form.elements.namedItem(name) as HTMLSelectElement
  }

  #orderBy(key: string, descending: boolean, always = false): void {
    if (always || key !== this.sort) {
      this.sort = key
      this.descending = descending
    }
    this.version++
    this.#show()
    this.#changed()
  }

  #show(): void {
    this.#select('sort').value = this.sort
    setText(this.#direction, this.descending ? 'descending' : 'ascending')
    for (const [key, head] of this.#heads) {
      const order = key !== this.sort ? 'none' : this.descending ? 'descending' : 'ascending'
      setAttribute(head, 'aria-sort', order)
    }
  }
}
