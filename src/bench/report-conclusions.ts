import type { Purpose } from '../config/bench-schema.ts'
import { reasonTexts } from '../measurement/reasons.ts'
import { showValue, showWithInterval } from './bench-figures.ts'
import type { BenchRun } from './bench-run.ts'
import { advise, interactiveLimits, nameOf } from './decision.ts'
import { loadCurves } from './load-levels.ts'
import { seededRandom } from './random.ts'
import { columns, type Section, titleOf } from './report-section.ts'
import type { CellSummary } from './summary.ts'

export function loadSections(cells: readonly CellSummary[], run: BenchRun): Section[] {
  return loadCurves(cells, run.givenUp).map(({ kind, target, model, prompt, mode, levels, knee }): Section => {
    const open = kind === 'open'
    const note = open
      ? levels
          .filter(({ overSaturated }) => overSaturated)
          .map(({ load }) => `At ${load}/s it falls behind: the longer it lasts, the longer requests wait.`)
      : [kneeNote(levels.at(-1)?.load, knee?.load)]
    return {
      title: `${open ? 'Arrivals' : 'Streams at once'}: ${nameOf({ target, model })}, ${prompt}, ${mode}`,
      table: {
        head: [
          open ? 'a second' : 'at once',
          'n',
          'TTFT',
          'TPOT',
          'tok/s a stream',
          'tok/s together',
          'duration',
          ...(open ? ['lag at most'] : []),
        ],
        texts: 0,
        rows: levels.map(({ cell, load, throughput, longestLagMs }) => [
          String(load),
          String(cell.kept.length),
          ...['time_to_first_token_seconds', 'time_per_output_token_seconds', 'output_tokens_per_second'].map((name) =>
            showFigure(cell, name),
          ),
          showValue(throughput, 'tok/s'),
          showFigure(cell, 'request_duration_seconds'),
          ...(open ? [longestLagMs === undefined ? '–' : `${longestLagMs.toFixed(1)} ms`] : []),
        ]),
      },
      notes: note,
    }
  })
}

function kneeNote(most: number | undefined, knee: number | undefined): string {
  if (knee === undefined) return 'No knee can be told: throughput is not known for every load.'
  if (knee === most) return `The knee was not reached: ${knee} at once still bring more than they cost.`
  return `The knee is at ${knee} at once: beyond it streams wait longer than throughput grows.`
}

function showFigure(cell: CellSummary, name: string): string {
  const found = cell.figures.get(name)
  return found === undefined ? '–' : showWithInterval(found.median, found.interval, found.figure.unit)
}

export function missingSection(cells: readonly CellSummary[]): Section {
  const rows = cells.flatMap((cell) =>
    columns.flatMap(({ name, short }) =>
      [...(cell.figures.get(name)?.missing ?? [])].map(([reason, n]) => [
        cell.model,
        cell.target,
        titleOf(cell),
        short,
        reason,
        String(n),
      ]),
    ),
  )
  const reasons = new Set(
    cells.flatMap((cell) => columns.flatMap(({ name }) => [...(cell.figures.get(name)?.missing.keys() ?? [])])),
  )
  return {
    title: 'What could not be measured',
    table: { head: ['model', 'target', 'case', 'figure', 'reason', 'runs'], texts: 5, rows },
    notes: [...reasons].map((reason) => `${reason}: ${reasonTexts[reason].why}. ${reasonTexts[reason].remedy}`),
  }
}

export function adviceSections(cells: readonly CellSummary[], purpose: Purpose, seed: number): Section[] {
  const limits = `Limits: TTFT p95 ${showValue(interactiveLimits.ttftP95Seconds, 's')}, TPOT ${showValue(interactiveLimits.tpotSeconds, 's')}, failures 5 %.`
  return advise(cells, purpose, seededRandom(`advice ${seed}`)).map(({ prompt, mode, ranked, undecided }) => ({
    title: `For ${purpose === 'interactive' ? 'people who wait' : 'batches'}: ${prompt}, ${mode}`,
    table: {
      head: ['', 'model', 'standing', 'reasons'],
      texts: 4,
      rows: ranked.map(({ name, standing, reasons }, index) => [`${index + 1}.`, name, standing, reasons.join('; ')]),
    },
    notes: [
      purpose === 'interactive' ? limits : 'Cheapest first, then fastest; who fails more than 5 % comes last.',
      ...undecided,
    ],
  }))
}
