import type { BenchPlan } from '../config/bench-schema.ts'
import { coldRounds } from './prompt.ts'
import { exponential, type Random, shuffled } from './random.ts'
import type { Cell } from './subject.ts'

/** One piece of work; they are done one after another. */
export type Step =
  | { readonly kind: 'single'; readonly cell: Cell; readonly round: number; readonly cold: boolean }
  /** A closed loop: `concurrency` streams kept running until `kept` of those begun under full load are over. */
  | {
      readonly kind: 'closed'
      readonly cell: Cell
      readonly concurrency: number
      readonly kept: number
      readonly round: number
    }
  /** An open loop: one request at each instant, ms after the step's begin. */
  | {
      readonly kind: 'open'
      readonly cell: Cell
      readonly perSecond: number
      readonly instants: readonly number[]
      readonly round: number
    }

/** Each load is visited so often, so that a target is measured early and late and drift hits all alike. */
const slices = 2

/**
 * What is done, in order. Targets are never measured one after another: every round holds each once, in an order of its own, and of two slices
 * under load the second goes backwards.
 */
export function schedule(plan: BenchPlan, cells: readonly Cell[], random: Random): Step[] {
  const steps: Step[] = []
  for (const concurrency of new Set(plan.concurrency)) {
    if (concurrency === 1) steps.push(...rounds(plan, cells, random))
    else steps.push(...closedLoops(plan, cells, concurrency, random))
  }
  for (const perSecond of new Set(plan.rate.perSecond)) steps.push(...openLoops(plan, cells, perSecond, random))
  return steps
}

function rounds(plan: BenchPlan, cells: readonly Cell[], random: Random): Step[] {
  const steps: Step[] = []
  const colds = cells.map(({ prompt, mode }) => coldRounds(prompt, mode))
  for (let round = 0; round < plan.runs - 1 + Math.max(...colds); round++) {
    for (const index of shuffled([...cells.keys()], random)) {
      const [cell, cold] = [cells[index] as Cell, colds[index] as number]
      if (round < plan.runs - 1 + cold) steps.push({ kind: 'single', cell, round, cold: round < cold })
    }
  }
  return steps
}

function closedLoops(plan: BenchPlan, cells: readonly Cell[], concurrency: number, random: Random): Step[] {
  const kept = Math.max(Math.ceil((plan.runs - 1) / slices), concurrency)
  return backAndForth(shuffled(cells, random)).map(({ cell, slice }) => ({
    kind: 'closed',
    cell,
    concurrency,
    kept,
    round: slice,
  }))
}

function openLoops(plan: BenchPlan, cells: readonly Cell[], perSecond: number, random: Random): Step[] {
  const { arrivals, requests } = plan.rate
  return backAndForth(shuffled(cells, random)).map(({ cell, slice }) => {
    let at = 0
    const instants = Array.from({ length: Math.ceil(requests / slices) }, () => {
      at += (1000 / perSecond) * (arrivals === 'poisson' ? exponential(random) : 1)
      return at
    })
    return { kind: 'open', cell, perSecond, instants, round: slice }
  })
}

function backAndForth(cells: readonly Cell[]): { cell: Cell; slice: number }[] {
  return Array.from({ length: slices }, (_, slice) => (slice % 2 === 0 ? cells : cells.toReversed())).flatMap(
    (order, slice) => order.map((cell) => ({ cell, slice })),
  )
}

/** Exchanges that a step keeps or shows: for the progress. */
export function exchangesOf(step: Step): number {
  if (step.kind === 'single') return 1
  return step.kind === 'closed' ? step.concurrency + step.kept : step.instants.length
}
