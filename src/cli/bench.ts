import { runBench } from '../bench/bench.ts'
import type { BenchRun } from '../bench/bench-run.ts'
import { htmlReport } from '../bench/html-report.ts'
import { loadPrompts } from '../bench/prompt-set.ts'
import { reportOf } from '../bench/report.ts'
import { markdownReport, textReport } from '../bench/text-report.ts'
import { loadBenchPlan } from '../config/bench-plan.ts'
import type { BenchPlan } from '../config/bench-schema.ts'
import { showProblem } from '../config/problems.ts'
import { benchOptions } from './bench-options.ts'
import { type OutputFile, outputFiles, writeOutputs } from './bench-outputs.ts'
import { Progress } from './bench-progress.ts'
import type { Command, ExitCode } from './command.ts'
import type { Io } from './io.ts'
import { version } from './version.ts'

export const bench: Command = {
  options: benchOptions,
  operands: [],
  notes: `The first run of each is the cold one and is shown apart. Targets are measured in turns, never one after another. Ctrl-C keeps and prints what was
measured. docs/bench.md tells how to read the results.
exit codes: 0 measured, 1 stopped before its end or nothing but failures, 2 wrong use, or nothing can be measured there`,
  async run({ text, texts, io }) {
    const loaded = loadBenchPlan({ text, texts }, io.env)
    const problems = 'problems' in loaded ? loaded.problems.map(showProblem) : []
    const prompts = 'plan' in loaded ? loadPrompts(loaded.plan.prompts) : { problems: [] }
    if ('problems' in prompts) problems.push(...prompts.problems)
    const outputs = outputFiles(text)
    problems.push(...outputs.problems)
    if (problems.length > 0 || 'problems' in loaded || 'problems' in prompts) return wrong(io, problems)
    return measure(io, loaded.plan, prompts.prompts, outputs.files)
  },
}

function wrong(io: Io, problems: readonly string[]): ExitCode {
  for (const problem of problems) io.err(`streamgauge: ${problem}\n`)
  return 2
}

async function measure(
  io: Io,
  plan: BenchPlan,
  prompts: Parameters<typeof runBench>[1],
  files: readonly OutputFile[],
): Promise<ExitCode> {
  const stop = new AbortController()
  const off = io.onStop(() => {
    if (stop.signal.aborted) io.exit(1)
    stop.abort()
  })
  const progress = new Progress(io, () => performance.now())
  try {
    const run = await runBench(plan, prompts, {
      version: version(),
      stop: stop.signal,
      onProgress: (done, total) => progress.show(done, total),
    })
    progress.clear()
    if ('problems' in run) return wrong(io, run.problems)
    await report(io, run, plan, files)
    const nothing = run.exchanges.every(({ outcome }) => outcome !== 'ok')
    return run.interrupted || nothing ? 1 : 0
  } finally {
    progress.clear()
    off()
  }
}

async function report(io: Io, run: BenchRun, plan: BenchPlan, files: readonly OutputFile[]): Promise<void> {
  const made = reportOf(run, plan.decide)
  const toStandardOutput = files.some(({ path }) => path === '-')
  if (toStandardOutput) io.err(io.interactive ? textReport(made.sections) : '')
  else io.out(textReport(made.sections))
  await writeOutputs(io, files, {
    json: () => `${JSON.stringify(run, null, 1)}\n`,
    markdown: () => markdownReport(made.sections),
    html: () => htmlReport(run, made),
  })
}
