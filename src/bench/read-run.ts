import type { BenchRun } from './bench-run.ts'

/** A run as `--json` wrote it; or what is wrong with the text. */
export function readRun(text: string): BenchRun | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'is not JSON; expected a file written by streamgauge bench --json'
  }
  const run = value as Partial<BenchRun> | null
  if (typeof run !== 'object' || run === null || run.program !== 'streamgauge bench' || !Array.isArray(run.exchanges)) {
    return 'is no run of a bench; expected a file written by streamgauge bench --json'
  }
  if (run.format !== 1) return `has the format ${String(run.format)}, which this version does not know; expected 1`
  return run as BenchRun
}
