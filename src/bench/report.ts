import type { Purpose } from '../config/bench-schema.ts'
import { benchFigure, showValue, showWithInterval } from './bench-figures.ts'
import type { BenchRun } from './bench-run.ts'
import { differences } from './differences.ts'
import { adviceSections, loadSections, missingSection } from './report-conclusions.ts'
import { columns, otherFigures, plain, type Section, titleOf } from './report-section.ts'
import { preflightSection, selfCheckSection } from './report-surroundings.ts'
import { type CellSummary, summarise } from './summary.ts'
import { warningsOf } from './warnings.ts'

export interface Report {
  readonly cells: readonly CellSummary[]
  readonly sections: readonly Section[]
}

/** All that is said about a run, in the order in which it is read. */
export function reportOf(run: BenchRun, purpose?: Purpose): Report {
  const order = run.plan.targets.flatMap(({ name, models }) => models.map((model) => ({ target: name, model })))
  const cells = summarise(run.exchanges, order)
  const sections = [
    preflightSection(run.preflight),
    ...resultSections(cells),
    otherSection(cells),
    coldSection(cells),
    tailSection(cells),
    differenceSection(cells),
    ...loadSections(cells, run),
    missingSection(cells),
    { title: 'Warnings', notes: warningsOf(run, cells) },
    ...(purpose === undefined ? [] : adviceSections(cells, purpose, run.plan.seed)),
    selfCheckSection(run),
  ]
  return { cells, sections: sections.filter(({ table, notes }) => (table?.rows.length ?? 0) > 0 || notes.length > 0) }
}

/** One table for each prompt, mode and load; a row for each model and target. */
function resultSections(cells: readonly CellSummary[]): Section[] {
  const titles = [...new Set(cells.map(titleOf))]
  return titles.map((title): Section => {
    const own = cells.filter((cell) => titleOf(cell) === title)
    const shown = columns.filter(({ name }) => own.some((cell) => tellsSomething(cell, name)))
    // No cached tokens, as nearly always without a cache, are no news.
    const beside = plain.filter(({ name }) => own.some((cell) => (cell.figures.get(name)?.median ?? 0) > 0))
    return {
      title,
      table: {
        head: ['model', 'target', 'n', 'failed', ...[...shown, ...beside].map(({ short }) => short)],
        texts: 2,
        rows: own.map((cell) => [
          cell.model,
          cell.target,
          String(cell.kept.length),
          String(cell.failed.length),
          ...shown.map(({ name, unit }) => {
            const found = cell.figures.get(name)
            return showWithInterval(found?.median, found?.interval, unit)
          }),
          ...beside.map(({ name, unit }) => showValue(cell.figures.get(name)?.median, unit)),
        ]),
      },
      notes: [],
    }
  })
}

/** Without reasoning the first answer token is the first token. */
function tellsSomething({ figures, kept }: CellSummary, name: string): boolean {
  if (figures.get(name)?.median === undefined) return false
  return (
    name !== 'time_to_first_answer_seconds' ||
    kept.some(({ reasoning }) => reasoning === 'streamed' || reasoning === 'summarised')
  )
}

function otherSection(cells: readonly CellSummary[]): Section {
  const single = cells.filter(({ load, kept }) => load.kind === 'closed' && load.concurrency === 1 && kept.length > 0)
  return {
    title: 'Other figures, medians',
    table: {
      head: ['model', 'target', 'prompt', 'mode', ...otherFigures.map(({ short }) => short)],
      texts: 4,
      rows: single.map((cell) => [
        cell.model,
        cell.target,
        cell.prompt,
        cell.mode,
        ...otherFigures.map(({ name, unit }) => showValue(cell.figures.get(name)?.median, unit)),
      ]),
    },
    notes: [],
  }
}

function coldSection(cells: readonly CellSummary[]): Section {
  const shown = ['time_to_first_token_seconds', 'connection_wait_seconds', 'request_duration_seconds'].map(benchFigure)
  return {
    title: 'The cold run',
    table: {
      head: ['model', 'target', 'prompt', 'mode', ...shown.map(({ short }) => short), 'kept TTFT'],
      texts: 4,
      rows: cells.flatMap((cell) => {
        const [cold] = cell.cold
        if (cold === undefined) return []
        const kept = cell.figures.get('time_to_first_token_seconds')?.median
        return [
          [
            cell.model,
            cell.target,
            cell.prompt,
            cell.mode,
            ...shown.map((figure) => showValue(figure.of(cold), figure.unit)),
            showValue(kept, 's'),
          ],
        ]
      }),
    },
    notes: [],
  }
}

function tailSection(cells: readonly CellSummary[]): Section {
  const rows = cells.flatMap((cell) =>
    columns.flatMap(({ name, short, unit, better }) => {
      const found = cell.figures.get(name)
      if (found?.p95 === undefined || !tellsSomething(cell, name)) return []
      const sign = better === 'more' ? '≥' : '≤'
      const bounds = [found.p95, found.p99].map((bound) =>
        bound === undefined ? '–' : `${sign} ${showValue(bound.value, unit)}`,
      )
      return [[cell.model, cell.target, titleOf(cell), short, String(found.sorted.length), ...bounds]]
    }),
  )
  const notes = [
    'One-sided 95 % bounds, not estimates: the true value is no worse. p95 needs 59 kept runs, p99 needs 299.',
  ]
  return {
    title: 'Tails',
    table: { head: ['model', 'target', 'case', 'figure', 'n', 'p95', 'p99'], texts: 4, rows },
    notes: rows.length > 0 ? notes : [],
  }
}

function differenceSection(cells: readonly CellSummary[]): Section {
  const rows = differences(cells).map(({ model, prompt, mode, from, to, figure, pairs, median, interval }) => [
    model,
    `${prompt}, ${mode}`,
    `${to} − ${from}`,
    figure.short,
    String(pairs),
    showWithInterval(median, interval, figure.unit),
  ])
  const notes = [
    'Medians of the differences between runs of one round. With a proxy behind one name and its gateway behind the other, this is what the proxy costs.',
  ]
  return {
    title: 'Differences between targets',
    table: { head: ['model', 'case', 'difference', 'figure', 'pairs', 'median [95 %]'], texts: 4, rows },
    notes: rows.length > 0 ? notes : [],
  }
}
