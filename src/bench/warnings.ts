import type { BenchRun } from './bench-run.ts'
import { nameOf } from './decision.ts'
import { type ExchangeResult, loadText } from './exchange-result.ts'
import type { CellSummary } from './summary.ts'

const busyCores = 0.7
const heldShare = 0.1
const spoiltShare = 0.2
const lateMs = 20
const longWaitSeconds = 0.005
const longWaitShare = 0.02

/** What makes numbers mean something else than they seem to. */
export function warningsOf(run: BenchRun, cells: readonly CellSummary[]): string[] {
  return [...ofTheBench(run), ...cells.flatMap((cell) => [...ofACell(cell)])]
}

function* ofTheBench({ interrupted, selfCheck, exchanges, givenUp }: BenchRun): Iterable<string> {
  if (interrupted) yield 'stopped before its end: there are fewer runs than were asked for'
  if (selfCheck.cores > busyCores) {
    yield `the bench itself used ${selfCheck.cores.toFixed(2)} processor cores: it may be what was measured; use fewer streams, or more machines`
  }
  if (selfCheck.heldShare > heldShare) {
    yield `the bench's event loop was held for ${percent(selfCheck.heldShare)} of the time: this machine is too busy for a bench`
  }
  if (selfCheck.spoilt > spoiltShare * exchanges.length) {
    yield `${selfCheck.spoilt} of ${exchanges.length} runs were spoilt by the bench's own delays and left out: measure on a quieter machine`
  }
  if (selfCheck.longestLagMs !== null && selfCheck.longestLagMs > lateMs) {
    yield `requests of the open loop were sent up to ${selfCheck.longestLagMs.toFixed(0)} ms after their scheduled instant; their figures count from that instant`
  }
  for (const one of givenUp) yield `${nameOf(one)}: ${one.perSecond}/s was given up, for too many streams ran at once`
}

function* ofACell(cell: CellSummary): Iterable<string> {
  const { kept, mode, prompt, failed } = cell
  const where = `${nameOf(cell)}, ${prompt}, ${mode}, ${loadText(cell.load)}`
  const ok = kept.filter(({ outcome }) => outcome === 'ok')
  const count = (holds: (result: ExchangeResult) => boolean): number => ok.filter(holds).length
  const of = (n: number): string => `${n} of ${ok.length} runs`
  const hits = count(({ cache }) => cache === 'hit' || cache === 'response')
  if (mode === 'uncached' && hits > 0) {
    yield `${where}: ${of(hits)} hit a cache although the prompt was new: their time to first token is that of the cache`
  }
  if (mode === 'cached' && ok.length > 0 && hits === 0) {
    yield ok.every(({ cache }) => cache === 'unknown')
      ? `${where}: the gateway does not tell whether the cache was hit`
      : `${where}: the repeated prompt never hit the cache (too short, or a hint is needed: --cache-hint)`
  } else if (mode === 'cached' && hits < ok.length) yield `${where}: only ${of(hits)} hit the cache`
  const buffered = count(({ buffered }) => buffered)
  if (buffered > 0)
    yield `${where}: ${of(buffered)} came buffered: their time to first token is that of the whole answer`
  const waited = count(({ figures }) => {
    const [wait, first] = [figures['connection_wait_seconds'] ?? 0, figures['time_to_first_token_seconds'] ?? 0]
    return wait > longWaitSeconds && wait > longWaitShare * first
  })
  if (waited > 0)
    yield `${where}: ${of(waited)} waited for a new connection, which is part of their time to first token`
  const packed = count(({ tokensPerEvent }) => (tokensPerEvent ?? 0) > 1.5)
  if (packed > ok.length / 2) yield `${where}: events hold several tokens each: whoever counts events counts too little`
  const servers = new Set(ok.map(({ servedModel, provider }) => `${servedModel ?? ''} ${provider ?? ''}`.trim()))
  if (servers.size > 1) yield `${where}: served by several (${[...servers].join(', ')}): their runs are mixed`
  if (failed.length > 0) yield `${where}: ${failed.length} of ${kept.length} runs failed (${tally(failed)})`
  const fewest = 6
  if (kept.length > 0 && kept.length < fewest)
    yield `${where}: ${kept.length} kept runs are too few for an interval (${fewest} are needed)`
}

function tally(failed: readonly ExchangeResult[]): string {
  const counts = new Map<string, number>()
  for (const { outcome, error } of failed) {
    const kind = error === null || error === outcome ? outcome : `${outcome}, ${error}`
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return [...counts].map(([kind, n]) => `${kind}: ${n}`).join('; ')
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`
