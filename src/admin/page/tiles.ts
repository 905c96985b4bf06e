import { byId, element, setText } from './dom.ts'
import { count, percent, rate, seconds, span } from './format.ts'
import { isFailure, type Model } from './model.ts'

/** Middle of the last exchanges' values; `undefined` where they are too few to tell. */
function median(values: readonly number[]): number | undefined {
  if (values.length < 5) return undefined
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil(sorted.length / 2) - 1]
}

interface Tile {
  readonly label: string
  readonly value: HTMLElement
  readonly below: HTMLElement
}

/** The handful of numbers that one looks for first. */
export class TilesView {
  readonly #tiles: ReadonlyMap<string, Tile>
  #version = -1

  constructor() {
    const labels = ['Running', 'Waiting', 'First token', 'Tokens a second', 'Failed', 'Cache hits']
    this.#tiles = new Map(
      labels.map((label) => [label, { label, value: element('strong'), below: element('small', { class: 'muted' }) }]),
    )
    byId('tiles').replaceChildren(
      ...[...this.#tiles.values()].map(({ label, value, below }) =>
        element('div', { class: 'tile' }, element('span', { class: 'label' }, label), value, below),
      ),
    )
  }

  render(model: Model): void {
    const { latest } = model
    if (latest === undefined) return
    this.#set('Running', count(latest.runningTotal), latest.runningTotal === 1 ? 'stream' : 'streams')
    const waits = latest.awaiting > 0
    this.#set('Waiting', count(latest.awaiting), waits ? `longest ${span(latest.longestWait)}` : 'for a first token')
    if (this.#version === model.version) return
    this.#version = model.version
    const rows = model.exchanges.filter(({ operation }) => operation !== null)
    const values = (name: string): number[] =>
      rows.map((row) => model.figure(row, name)).filter((value) => typeof value === 'number')
    const ttft = values('time_to_first_token_seconds')
    const tps = values('output_tokens_per_second')
    const [middleTtft, middleTps] = [median(ttft), median(tps)]
    const of = (n: number, middle: number | undefined): string =>
      middle === undefined ? `${count(n)} so far, too few` : `median of the last ${count(n)}`
    this.#set('First token', middleTtft === undefined ? '–' : `${seconds(middleTtft)} s`, of(ttft.length, middleTtft))
    this.#set('Tokens a second', middleTps === undefined ? '–' : rate(middleTps), of(tps.length, middleTps))
    const failed = rows.filter(({ outcome }) => isFailure(outcome)).length
    this.#set(
      'Failed',
      rows.length === 0 ? '–' : percent(failed, rows.length),
      `${count(failed)} of the last ${count(rows.length)}`,
    )
    const told = rows.filter(({ cache }) => cache !== null && cache !== 'unknown')
    const hits = told.filter(({ cache }) => cache !== 'miss').length
    this.#set(
      'Cache hits',
      told.length === 0 ? '–' : percent(hits, told.length),
      `${count(hits)} of ${count(told.length)} that tell`,
    )
  }

  #set(label: string, value: string, below: string): void {
    const tile = this.#tiles.get(label)
    if (tile === undefined) return
    setText(tile.value, value)
    setText(tile.below, below)
  }
}
