import { models } from '../simulator/models.ts'
import type { ExchangeTruth } from '../simulator/simulator.ts'
import type { LoggedExchange } from './demo-exchanges.ts'
import { type ComparedFigure, comparedFigures, outcomeByTruth } from './demo-truth.ts'

/** One exchange, as the proxy and as the simulator saw it. */
export interface Pair {
  readonly logged: LoggedExchange
  readonly truth: ExchangeTruth
}

/** A model's medians, the proxy's beside the simulator's. */
export interface ComparedModel {
  readonly model: string
  /** A row of the table. */
  readonly cells: readonly string[]
  /** What is not as it should be; empty: proxy and simulator agree. */
  readonly faults: readonly string[]
}

function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle]
  return sorted.length % 2 === 1 || upper === undefined ? upper : (upper + (sorted[middle - 1] as number)) / 2
}

/** Finds each exchange's other half. `strays`: exchanges that only one side knows. */
export function pairUp(
  logged: readonly LoggedExchange[],
  truths: readonly ExchangeTruth[],
): { pairs: Pair[]; strays: string[] } {
  const byId = new Map(truths.map((truth) => [truth.id, truth]))
  const pairs: Pair[] = []
  const strays: string[] = []
  for (const exchange of logged) {
    const truth = byId.get(exchange.gateway_request_id ?? '')
    if (truth === undefined) strays.push(`${exchange.model}: the simulator knows nothing of an exchange in the log`)
    else pairs.push({ logged: exchange, truth })
    byId.delete(exchange.gateway_request_id ?? '')
  }
  for (const truth of byId.values()) strays.push(`${truth.model}: exchange ${truth.id} is not in the log`)
  return { pairs, strays }
}

interface Cell {
  readonly text: readonly [proxy: string, truth: string]
  readonly fault: string | undefined
}

function compare(figure: ComparedFigure, pairs: readonly Pair[]): Cell {
  const both = pairs.map(({ logged, truth }) => [figure.proxy(logged), figure.truth(truth)] as const)
  const measured = median(both.flatMap(([proxy]) => (proxy === undefined ? [] : [proxy])))
  const done = median(both.flatMap(([, truth]) => (truth === undefined ? [] : [truth])))
  const show = (value: number | undefined): string => (value === undefined ? '–' : value.toFixed(figure.digits))
  const text = [show(measured), show(done)] as const
  const missing = both.filter(([proxy, truth]) => (proxy === undefined) !== (truth === undefined)).length
  // One exchange may lie at the edge of a condition; the half of them may not.
  if (missing * 2 > both.length)
    return { text, fault: `${figure.title}: only one side has it in ${missing} of ${both.length}` }
  if (measured === undefined || done === undefined) return { text, fault: undefined }
  const allowed = Math.max(figure.share * done, figure.slack)
  const apart = Math.abs(measured - done)
  const fault = `${figure.title}: the proxy says ${text[0]}, the simulator did ${text[1]}`
  return { text, fault: apart > allowed ? fault : undefined }
}

/** Compares model by model, in the order in which the simulator lists them. */
export function compareAll(pairs: readonly Pair[]): ComparedModel[] {
  const byModel = new Map<string, Pair[]>(models.map(({ name }) => [name, []]))
  for (const pair of pairs) byModel.get(pair.logged.model)?.push(pair)
  return [...byModel].flatMap(([model, own]) => (own.length === 0 ? [] : [compareModel(model, own)]))
}

function compareModel(model: string, pairs: readonly Pair[]): ComparedModel {
  const cells = comparedFigures.map((figure) => compare(figure, pairs))
  const outcomes = pairs.flatMap(({ logged, truth }) => {
    const outcome = outcomeByTruth(truth)
    return logged.outcome === outcome ? [] : [`the proxy says ${logged.outcome}, it was ${outcome}`]
  })
  return {
    model,
    cells: [model, String(pairs.length), ...cells.flatMap(({ text }) => text)],
    faults: [...cells.flatMap(({ fault }) => fault ?? []), ...outcomes].map((fault) => `${model}: ${fault}`),
  }
}

/** The table, line by line, without line ends. */
export function tableOf(compared: readonly ComparedModel[]): string[] {
  const rows = compared.map(({ cells }) => cells)
  const head = ['model', 'n', ...comparedFigures.flatMap(() => ['proxy', 'truth'])]
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  for (const [at, { title }] of comparedFigures.entries()) {
    const [proxy, truth] = [2 + at * 2, 3 + at * 2]
    widths[proxy] = Math.max(widths[proxy] as number, title.length - (widths[truth] as number) - 2)
  }
  const line = (row: readonly string[]): string =>
    row
      .map((text, at) => (at === 0 ? text.padEnd(widths[at] as number) : text.padStart(widths[at] as number)))
      .join('  ')
  const titles = comparedFigures.map(({ title }, at) => {
    const width = (widths[2 + at * 2] as number) + (widths[3 + at * 2] as number) + 2
    return title.padStart(width)
  })
  const above = [' '.repeat((widths[0] as number) + (widths[1] as number) + 2), ...titles].join('  ')
  return [above, line(head), ...rows.map(line)]
}
