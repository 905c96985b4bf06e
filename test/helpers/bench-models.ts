import type { TestContext } from 'node:test'
import type { BenchRun } from '../../src/bench/bench-run.ts'
import { models } from '../../src/simulator/models.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { errorsAgainst, measured, type PlanChanges, type TruthError } from './bench.ts'

const text = { type: 'string' }
const tools = [
  {
    type: 'function',
    function: { name: 'search', parameters: { type: 'object', properties: { river: text, period: text } } },
  },
]

/** Models that answer at all; each with what it takes to show what it is there for. */
export const benchedModels: readonly string[] = models.map(({ name }) => name).filter((name) => name !== 'sim/hang')

function planFor(model: string, baseUrl: string, runs: number): PlanChanges {
  const target = { baseUrl, models: [model], ...(model === 'sim/tools' && { body: { tools } }) }
  const cached = model === 'sim/cached'
  return {
    targets: [{ ...target, ...(cached && { cacheHint: 'cache_control' as const }) }],
    promptMode: cached ? 'both' : 'uncached',
    ...(cached && { prompts: ['1k'] }),
    runs,
    maxTokens: 1000,
  }
}

export interface BenchedModel {
  readonly model: string
  readonly run: BenchRun
  readonly errors: readonly TruthError[]
}

const mostAttempts = 3
/** TTFT, first answer and a rate at least: a model of which every run was spoilt agrees with nothing. */
const fewestFigures = 3

export const agrees = (found: BenchedModel | undefined): boolean =>
  found !== undefined && found.errors.length >= fewestFigures && !found.errors.some(({ wrong }) => wrong)

/**
 * Measures the models and holds the medians against what the simulator wrote. What disagrees is measured again, for a busy machine makes late
 * marks; the last attempt counts.
 */
export async function benchAgainstTruth(
  t: TestContext,
  simulator: Simulator,
  runs: number,
  sideBySide: boolean,
): Promise<BenchedModel[]> {
  const found = new Map<string, BenchedModel>()
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const again = benchedModels.filter((model) => !agrees(found.get(model)))
    const one = async (model: string): Promise<void> => {
      const run = await measured(planFor(model, simulator.url, runs))
      const modes = ['uncached', 'cached'].map((mode) => run.exchanges.filter((exchange) => exchange.mode === mode))
      found.set(model, { model, run, errors: modes.flatMap((own) => errorsAgainst(own, (id) => simulator.truth(id))) })
    }
    if (sideBySide) await Promise.all(again.map(one))
    else for (const model of again) await one(model)
  }
  const all = [...found.values()].flatMap(({ model, errors }) => errors.map((error) => ({ model, ...error })))
  const worst = all.toSorted((a, b) => b.used - a.used)[0]
  if (worst !== undefined) {
    t.diagnostic(
      `largest error of a median: ${(100 * worst.share).toFixed(2)} % (${worst.model}, ${worst.figure}: ${worst.measured.toFixed(2)}, truth ${worst.truth.toFixed(2)})`,
    )
  }
  return [...found.values()]
}
