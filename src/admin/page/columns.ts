import type { ExchangeRow, FigureShape } from '../../report/live-shapes.ts'
import { element } from './dom.ts'
import { count, dollars, figureText, number, timeOfDay, unitText } from './format.ts'
import { isFailure, type Model } from './model.ts'

export interface Column {
  readonly key: string
  readonly title: string
  /** Shown in the list of orders alone where it is no column. */
  readonly shown: boolean
  /** From which width on it is shown: 0 always, 1 tablets, 2 desks, 3 walls. */
  readonly from: 0 | 1 | 2 | 3
  readonly number: boolean
  /** By which rows are ordered: numbers, or texts; `null` stands at the end. */
  order(row: ExchangeRow): number | string | null
  cell(row: ExchangeRow): Node
}

const shortTitles: Readonly<Record<string, string>> = {
  time_to_first_token_seconds: 'First token, s',
  time_to_first_answer_seconds: 'First answer, s',
  output_tokens_per_second: 'Tokens/s',
  output_chars_per_second: 'Chars/s',
  time_per_output_token_seconds: 'Per token, ms',
  request_duration_seconds: 'Duration, s',
}

const shownFrom: Readonly<Record<string, Column['from']>> = {
  time_to_first_token_seconds: 0,
  output_tokens_per_second: 0,
  request_duration_seconds: 1,
  time_to_first_answer_seconds: 2,
  output_chars_per_second: 2,
  time_per_output_token_seconds: 3,
}

/** The class of a column's cells; widths and visibility hang on it. */
export const classOf = ({ from, number, key }: Column): string => `from-${from} ${number ? 'number ' : ''}is-${key}`

const none = (title: string): Node => element('span', { class: 'none', title }, '–')

function figureColumn(figure: FigureShape, model: Model): Column {
  const { name, unit } = figure
  return {
    key: name,
    title: shortTitles[name] ?? `${figure.title}, ${unitText(unit, name)}`,
    shown: name in shownFrom,
    from: shownFrom[name] ?? 3,
    number: true,
    order: (row) => {
      const value = model.figure(row, name)
      return typeof value === 'number' ? value : null
    },
    cell: (row) => {
      const value = model.figure(row, name)
      if (typeof value === 'number') return number(value, figureText(value, unit, name))
      return none(value === null ? 'does not apply' : model.reason(value))
    },
  }
}

function outcomeCell({ outcome, status, error, flags }: ExchangeRow): Node {
  const kind = outcome === 'ok' ? 'good' : isFailure(outcome) ? 'bad' : 'left'
  const badge = element('span', { class: `badge ${kind}`, title: error ?? '' }, outcome.replaceAll('_', ' '))
  const below = [
    status === null || status === 200 ? '' : String(status),
    ...flags.map((flag) => flag.replaceAll('_', ' ')),
  ]
  return element('div', {}, badge, element('small', { class: 'muted' }, below.filter(Boolean).join(' · ')))
}

function tokensCell({ tokens }: ExchangeRow): Node {
  if (tokens === null) return none('the gateway reported no tokens')
  const [input, , output, reasoning] = tokens
  const inside = reasoning != null && reasoning > 0 ? `, ${count(reasoning)} reasoning` : ''
  return element(
    'div',
    {},
    output == null ? none('not reported') : number(output, count(output)),
    element('small', { class: 'muted' }, `${input == null ? '?' : count(input)} in${inside}`),
  )
}

function servedCell({ servedModel, provider, model }: ExchangeRow): Node {
  const name = servedModel === null || servedModel === model ? '' : servedModel
  if (name === '' && provider === null) return none('as asked')
  return element(
    'div',
    {},
    element('span', { class: 'name' }, name || '='),
    element('small', { class: 'muted' }, provider ?? ''),
  )
}

const cacheNames: Readonly<Record<string, string>> = { hit: 'hit', miss: 'miss', response: 'whole answer' }

export function columnsOf(model: Model): Column[] {
  const text = (
    key: string,
    title: string,
    from: Column['from'],
    order: (row: ExchangeRow) => string | number | null,
    cell: (row: ExchangeRow) => Node,
    isNumber = false,
  ): Column => ({ key, title, shown: true, from, number: isNumber, order, cell })
  return [
    text(
      'serial',
      'Ended',
      1,
      (row) => row.serial,
      (row) => document.createTextNode(timeOfDay(row.startedAt + model.course(row).until)),
    ),
    text('outcome', 'Outcome', 0, (row) => row.outcome, outcomeCell),
    ...(model.opening?.figures ?? []).map((figure) => figureColumn(figure, model)),
    text('tokens', 'Tokens', 1, ({ tokens }) => tokens?.[2] ?? null, tokensCell, true),
    text(
      'cache',
      'Cache',
      2,
      (row) => row.cache,
      ({ cache }) => {
        const name = cacheNames[cache ?? '']
        return name === undefined ? none('not told') : element('span', { class: `badge ${cache}` }, name)
      },
    ),
    text(
      'cost',
      'Cost',
      3,
      (row) => row.costUsd,
      ({ costUsd }) =>
        costUsd === null ? none('neither reported nor in the price table') : number(costUsd, dollars(costUsd)),
      true,
    ),
    text('served', 'Served by', 3, (row) => row.servedModel, servedCell),
  ]
}

/** What is missing stands at the end, whichever way the rows are turned. */
export function compareBy(column: Column, descending: boolean): (a: ExchangeRow, b: ExchangeRow) => number {
  const sign = descending ? -1 : 1
  return (a, b) => {
    const [one, other] = [column.order(a), column.order(b)]
    if (one === null || other === null) return one === other ? b.serial - a.serial : one === null ? 1 : -1
    if (one === other) return b.serial - a.serial
    return (one < other ? -1 : 1) * sign
  }
}
