import { randomUUID } from 'node:crypto'
import { availableParallelism, cpus } from 'node:os'
import type { BenchPlan } from '../config/bench-schema.ts'
import { Gateway } from '../gateway/gateway.ts'
import { definitionsVersion } from '../measurement/figures.ts'
import { TurnClock } from '../stream/turn-clock.ts'
import type { Instruments } from './bench-exchange.ts'
import type { BenchRun, ShownPlan } from './bench-run.ts'
import type { ExchangeResult } from './exchange-result.ts'
import { LoopWatch } from './loop-watch.ts'
import { type Finding, preflight } from './preflight.ts'
import type { Prompt } from './prompt.ts'
import { seededRandom } from './random.ts'
import { Runner, type Tolerance, usualTolerance } from './runner.ts'
import { exchangesOf, schedule } from './schedule.ts'
import type { Cell } from './subject.ts'

export interface BenchOptions {
  readonly version: string
  /** Aborted: what was measured so far is handed back. */
  readonly stop: AbortSignal
  /** Of late marks; default: 5 ms and 5 %. */
  readonly tolerance?: Tolerance
  readonly onPreflight?: (findings: readonly Finding[]) => void
  readonly onProgress?: (done: number, total: number) => void
}

/** Measures what a plan says. `problems`: nothing was measured, for these reasons. */
export async function runBench(
  plan: BenchPlan,
  prompts: readonly Prompt[],
  options: BenchOptions,
): Promise<BenchRun | { problems: string[] }> {
  const turns = new TurnClock()
  const watch = new LoopWatch(() => turns.now())
  const instruments: Instruments = { plan, turns, watch, wallClock: () => Date.now() }
  const open: Gateway[] = []
  try {
    const checked = await preflight(instruments, subjectsOf(plan, turns, open), options.stop)
    const problems = checked.findings.flatMap(({ problem }) => problem ?? [])
    if (problems.length > 0) return { problems: [...new Set(problems)] }
    options.onPreflight?.(checked.findings)
    // Connections of its own: the cold run is to be cold.
    const fresh = subjectsOf(plan, turns, open)
    const subjects = checked.subjects.map((subject, index) => ({
      ...subject,
      gateway: (fresh[index] as (typeof fresh)[number]).gateway,
    }))
    const modes = plan.promptMode === 'both' ? (['uncached', 'cached'] as const) : [plan.promptMode]
    const cells: Cell[] = subjects.flatMap((subject) =>
      prompts.flatMap((prompt) => modes.map((mode) => ({ subject, prompt, mode }))),
    )
    return await measure(plan, cells, instruments, checked.findings, options)
  } finally {
    watch.close()
    await Promise.all(open.map((gateway) => gateway.destroy()))
  }
}

async function measure(
  plan: BenchPlan,
  cells: readonly Cell[],
  instruments: Instruments,
  findings: readonly Finding[],
  { stop, version, onProgress, tolerance = usualTolerance }: BenchOptions,
): Promise<BenchRun> {
  const { watch, turns, wallClock } = instruments
  const steps = schedule(plan, cells, seededRandom(`order ${plan.seed}`))
  const total = steps.reduce((sum, step) => sum + exchangesOf(step), 0)
  const exchanges: ExchangeResult[] = []
  const startedAt = new Date(wallClock()).toISOString()
  const [begin, heldBefore, cpuBefore] = [turns.now(), watch.heldMs, process.cpuUsage()]
  watch.longestMs = 0
  const onResult = (result: ExchangeResult): void => {
    exchanges.push(result)
    onProgress?.(exchanges.length, total)
  }
  onProgress?.(0, total)
  const runner = new Runner({ instruments, nonce: randomUUID(), stop, tolerance, onResult })
  await runner.run(steps)
  const elapsedMs = Math.max(1, turns.now() - begin)
  const cpu = process.cpuUsage(cpuBefore)
  const lags = exchanges.flatMap(({ lagMs }) => lagMs ?? [])
  return {
    format: 1,
    program: 'streamgauge bench',
    version,
    definitions: definitionsVersion,
    startedAt,
    endedAt: new Date(wallClock()).toISOString(),
    interrupted: stop.aborted,
    environment: {
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
      cores: availableParallelism(),
    },
    plan: shownPlan(plan, cells),
    preflight: findings,
    selfCheck: {
      cores: (cpu.user + cpu.system) / 1000 / elapsedMs,
      longestStallMs: watch.longestMs,
      heldShare: (watch.heldMs - heldBefore) / elapsedMs,
      spoilt: exchanges.filter(({ left }) => left === 'spoilt').length,
      fillers: runner.fillers,
      longestLagMs: lags.length === 0 ? null : Math.max(...lags),
    },
    givenUp: runner.givenUp,
    exchanges,
  }
}

/** Models of one target share its connections. */
function subjectsOf(plan: BenchPlan, turns: TurnClock, open: Gateway[]) {
  return plan.targets.flatMap((target) => {
    const gateway = new Gateway(
      {
        name: target.name,
        url: target.baseUrl,
        connectTimeoutMs: plan.timeouts.connect,
        caFile: target.tls.ca,
        insecure: target.tls.insecure,
        maxHeaderBytes: 65_536,
      },
      turns,
    )
    open.push(gateway)
    return target.models.map((model) => ({ target, model, gateway }))
  })
}

function shownPlan(plan: BenchPlan, cells: readonly Cell[]): ShownPlan {
  const { maxTokens, temperature, runs, promptMode, concurrency, seed, rate } = plan
  const { perSecond, arrivals, requests } = rate
  return {
    targets: plan.targets.map(({ name, baseUrl, models, operation, headers, cacheHint }) => ({
      name,
      baseUrl: baseUrl.replace(/[?#].*$/s, ''),
      models,
      operation,
      headers: Object.keys(headers),
      cacheHint,
    })),
    prompts: [...new Set(cells.map(({ prompt }) => prompt.name))],
    maxTokens,
    temperature,
    runs,
    promptMode,
    concurrency,
    rate: { perSecond, arrivals, requests },
    seed,
  }
}
