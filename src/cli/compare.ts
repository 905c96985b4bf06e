import { readFileSync, writeFileSync } from 'node:fs'
import { benchFigures } from '../bench/bench-figures.ts'
import type { BenchRun } from '../bench/bench-run.ts'
import { comparedByDefault, compareRuns, comparisonSections } from '../bench/comparison.ts'
import { readRun } from '../bench/read-run.ts'
import { markdownReport, textReport } from '../bench/text-report.ts'
import { nearest } from '../config/nearest.ts'
import type { Command } from './command.ts'

const exitCodes = { 'no worse': 0, worse: 1, inconclusive: 3 } as const

export const compare: Command = {
  options: [
    { name: 'tolerance', kind: 'text', placeholder: 'SHARE', help: 'how much worse is still no worse (10%)' },
    {
      name: 'figure',
      kind: 'texts',
      placeholder: 'NAME',
      help: `what is compared; if not given: ${comparedByDefault.join(', ')}`,
    },
    { name: 'markdown', kind: 'text', placeholder: 'FILE', help: 'write the comparison there, for a pull request' },
    { name: 'seed', kind: 'text', placeholder: 'NUMBER', help: 'of the resampling (1)' },
  ],
  operands: ['BEFORE.json', 'AFTER.json'],
  notes: `Both files are written by streamgauge bench --json. Of every model, prompt and load each figure is judged: worse, no worse, or inconclusive.
exit codes: 0 nothing is worse, 1 something is worse, 2 wrong use, 3 nothing is known to be worse and something is inconclusive`,
  async run({ text, texts, operands, io }) {
    const faults: string[] = []
    const tolerance = readShare(text['tolerance'] ?? '10%')
    if (tolerance === undefined) faults.push('--tolerance must be a share such as 10%')
    const seed = Number(text['seed'] ?? '1')
    if (!Number.isSafeInteger(seed)) faults.push('--seed must be a whole number')
    const names = benchFigures.map(({ name }) => name)
    for (const figure of texts['figure'] ?? []) {
      if (names.includes(figure)) continue
      const meant = nearest(figure, names)
      faults.push(
        `--figure ${figure} is not known; ${meant === undefined ? `expected one of ${names.join(', ')}` : `did you mean ${meant}?`}`,
      )
    }
    const runs = operands.map((file) => readFile(file, faults))
    const [before, after] = runs
    if (faults.length > 0 || tolerance === undefined || before === undefined || after === undefined) {
      for (const fault of faults) io.err(`streamgauge: ${fault}\n`)
      return 2
    }
    const figures = texts['figure']
    const comparison = compareRuns(before, after, { tolerance, seed, ...(figures !== undefined && { figures }) })
    const sections = comparisonSections(comparison, tolerance)
    io.out(textReport(sections))
    if (text['markdown'] !== undefined) writeFileSync(text['markdown'], markdownReport(sections))
    return exitCodes[comparison.verdict]
  },
}

function readFile(file: string, faults: string[]): BenchRun | undefined {
  let run: BenchRun | string
  try {
    run = readRun(readFileSync(file, 'utf8'))
  } catch (error) {
    run = `cannot be read (${(error as NodeJS.ErrnoException).code}); expected a file written by streamgauge bench --json`
  }
  if (typeof run !== 'string') return run
  faults.push(`${file} ${run}`)
  return undefined
}

/** `10%` or `0.1`. */
function readShare(written: string): number | undefined {
  const [, amount, percent] = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(written) ?? []
  if (amount === undefined) return undefined
  const share = percent === '%' ? Number(amount) / 100 : Number(amount)
  return share <= 10 ? share : undefined
}
