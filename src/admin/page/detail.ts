import type { ExchangeDetail, FigureDetail } from '../../report/live-shapes.ts'
import { address, byId, copyButton, element } from './dom.ts'
import { count, dollars, exactText, milliseconds, number } from './format.ts'
import { gapCharts } from './gap-chart.ts'
import { isFailure, type Model } from './model.ts'
import { markTable, waterfall } from './waterfall.ts'

/** Everything about one exchange, over the page. Its address ends in `#exchange=ID`, so that it can be passed on. */
export class DetailView {
  readonly #dialog = byId<HTMLDialogElement>('detail')
  readonly #model: Model

  constructor(model: Model) {
    this.#model = model
    this.#dialog.addEventListener('close', () => {
      if (location.hash.startsWith('#exchange=')) history.replaceState(null, '', location.pathname + location.search)
    })
    // A click beside the box is one on the dialog itself.
    this.#dialog.addEventListener('click', ({ target }) => {
      if (target === this.#dialog) this.#dialog.close()
    })
  }

  /** Shows what the page's address asks for. */
  openByAddress(): void {
    const id = /^#exchange=(.+)$/.exec(location.hash)?.[1]
    if (id !== undefined && !this.#dialog.open) void this.open(decodeURIComponent(id))
  }

  async open(id: string): Promise<void> {
    let content: Node
    try {
      const answer = await fetch(address(`exchanges/${encodeURIComponent(id)}`))
      if (!answer.ok)
        throw new Error(
          answer.status === 404 ? 'It is not among the last exchanges any more.' : `HTTP ${answer.status}`,
        )
      content = this.#content((await answer.json()) as ExchangeDetail)
    } catch (error) {
      content = element('p', { class: 'empty' }, `The exchange cannot be shown. ${(error as Error).message}`)
    }
    const close = element('button', { type: 'button', class: 'close', 'aria-label': 'Close' }, '×')
    close.addEventListener('click', () => this.#dialog.close())
    this.#dialog.replaceChildren(element('div', { class: 'sheet' }, close, content))
    if (!this.#dialog.open) this.#dialog.showModal()
    this.#dialog.scrollTop = 0
    history.replaceState(null, '', `#exchange=${encodeURIComponent(id)}`)
  }

  #content(detail: ExchangeDetail): Node {
    const { row, log, figures } = detail
    const course = this.#model.course(row)
    const text = JSON.stringify(log, null, 2)
    const there = figures.filter(({ reason }) => reason === null)
    const missing = figures.filter(({ reason }) => reason !== null)
    return element(
      'div',
      {},
      element('h2', { id: 'detail-title' }, row.model || `${row.method} ${row.path}`),
      this.#facts(detail),
      element('h3', {}, 'What happened when'),
      element('div', { class: 'two' }, waterfall(course, detail), markTable(course, this.#model.opening?.marks ?? [])),
      element('h3', {}, 'Figures'),
      element(
        'div',
        { class: 'scroll plain', tabindex: '0', role: 'region', 'aria-label': 'Figures' },
        this.#figureTable(there),
      ),
      ...(missing.length > 0 ? [element('h3', {}, 'Not measured'), this.#missing(missing)] : []),
      element('h3', {}, 'Between chunks'),
      gapCharts(detail),
      element('h3', {}, 'As in the exchange log'),
      element(
        'div',
        { class: 'code' },
        element('pre', { class: 'json', tabindex: '0' }, text),
        copyButton('Copy as JSON', () => text),
      ),
    )
  }

  #facts({ row, log, pausedMs }: ExchangeDetail): HTMLElement {
    const kind = row.outcome === 'ok' ? 'good' : isFailure(row.outcome) ? 'bad' : 'left'
    const outcome = element('span', { class: `badge ${kind}` }, row.outcome.replaceAll('_', ' '))
    const [input, cached, output, reasoning] = row.tokens ?? []
    const tokens = [
      input == null ? '' : `${count(input)} in${cached == null ? '' : ` (${count(cached)} cached)`}`,
      output == null ? '' : `${count(output)} out${reasoning == null ? '' : ` (${count(reasoning)} reasoning)`}`,
    ]
    const uncertainty = log['uncertainty_ms']
    const facts: readonly (readonly [string, Node | string | null])[] = [
      ['Outcome', outcome],
      ['Error', row.error],
      ['Status', row.status === null ? 'none' : String(row.status)],
      ['Began', new Date(row.startedAt).toLocaleString()],
      ['App', row.app],
      ['Gateway', row.gateway],
      ['Request', `${row.method} ${row.path}`],
      ['Served by', [row.servedModel, row.provider].filter(Boolean).join(', ')],
      ['Tokens', tokens.filter(Boolean).join(', ') || (row.operation === null ? '' : 'not reported')],
      ['Cache', row.cache === 'unknown' ? 'not told' : row.cache],
      ['Cost', row.costUsd === null ? '' : dollars(row.costUsd)],
      ['Flags', row.flags.join(', ')],
      [
        'First token uncertain by',
        typeof uncertainty === 'number'
          ? `at most ${milliseconds(uncertainty)} ms (it may have come that much earlier)`
          : '',
      ],
      ['Client did not read for', pausedMs > 0 ? `${milliseconds(pausedMs)} ms` : ''],
      ['Id', row.id],
    ]
    return element(
      'dl',
      { class: 'facts' },
      ...facts.flatMap(([name, value]) =>
        value === null || value === '' ? [] : [element('div', {}, element('dt', {}, name), element('dd', {}, value))],
      ),
    )
  }

  #figureTable(figures: readonly FigureDetail[]): HTMLElement {
    const rows = figures.map(({ name, value, expression, numbers }) => {
      const shape = this.#model.opening?.figures.find((figure) => figure.name === name)
      const unit = shape?.unit ?? ''
      const formula = element('td', { class: 'formula' }, element('code', {}, expression ?? shape?.formula ?? ''))
      if (numbers !== null) formula.append(element('br'), element('code', { class: 'muted numbers' }, `= ${numbers}`))
      return element(
        'tr',
        { 'data-figure': name },
        element('th', { scope: 'row', title: shape?.help ?? '' }, shape?.title ?? name),
        element('td', { class: 'number' }, value === null ? '' : number(value, exactText(value, unit))),
        element('td', { class: 'unit' }, unit),
        formula,
      )
    })
    const heads = ['Figure', 'Value', 'Unit', 'Formula, with the numbers put in (marks in seconds)']
    return element(
      'table',
      { class: 'figures' },
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          ...heads.map((head, index) => element('th', { scope: 'col', class: index === 1 ? 'number' : '' }, head)),
        ),
      ),
      element('tbody', {}, ...rows),
    )
  }

  /** Figures that lack for the same reason stand together. */
  #missing(figures: readonly FigureDetail[]): HTMLElement {
    const reasons = new Map<string, string[]>()
    for (const { name, reason } of figures) {
      const title = this.#model.opening?.figures.find((figure) => figure.name === name)?.title ?? name
      reasons.set(reason ?? '', [...(reasons.get(reason ?? '') ?? []), title])
    }
    const items = [...reasons].map(([code, titles]) => {
      const text = this.#model.opening?.reasons[code]
      return element(
        'li',
        { class: 'note', 'data-reason': code },
        element(
          'p',
          {},
          element('strong', {}, `${titles.join(', ')}: `),
          `${text?.why ?? code}. `,
          element('code', { class: 'muted' }, code),
        ),
        element('p', { class: 'muted' }, text?.remedy ?? ''),
      )
    })
    return element('ul', { class: 'advice' }, ...items)
  }
}
