import { randomUUID } from 'node:crypto'
import type { BenchPlan } from '../config/bench-schema.ts'
import { type Instruments, type Measured, runExchange } from './bench-exchange.ts'
import { builtInPrompt } from './built-in-prompts.ts'
import { type ExchangeResult, resultOf } from './exchange-result.ts'
import { problemOf } from './preflight-problem.ts'
import { promptFor } from './prompt.ts'
import { type Adaptation, unadapted } from './request-body.ts'
import type { Subject } from './subject.ts'

/** What can be measured of one model at one target. */
export interface Finding {
  readonly target: string
  readonly model: string
  /** Nothing can be measured here: no run is begun. */
  readonly problem: string | null
  readonly notes: readonly string[]
  /** `null` where no answer was whole. */
  readonly usage: boolean | null
  readonly cumulativeUsage: boolean | null
  readonly reasoning: ExchangeResult['reasoning']
  readonly tokensPerEvent: number | null
  /** Output events and the chunks that held them. */
  readonly events: number | null
  readonly chunks: number | null
  readonly buffered: boolean | null
  readonly cost: boolean | null
}

/** A gateway may be busy, and one that is flaky is worth measuring. */
const mostAttempts = 3
const mostTokens = 64

type Unprepared = Omit<Subject, 'adaptation'>

/** Asks each model once, before anything counts: finds what is wrong, what the gateway refuses, and what can be measured. */
export async function preflight(
  instruments: Instruments,
  subjects: readonly Unprepared[],
  stop: AbortSignal,
): Promise<{ subjects: Subject[]; findings: Finding[] }> {
  const targets = new Set(subjects.map(({ target }) => target))
  const found = new Map<Unprepared, { adaptation: Adaptation; finding: Finding }>()
  const visit = async (own: readonly Unprepared[]): Promise<void> => {
    for (const subject of own) if (!stop.aborted) found.set(subject, await examine(instruments, subject, stop))
  }
  await Promise.all([...targets].map((target) => visit(subjects.filter((subject) => subject.target === target))))
  const known = subjects.filter((subject) => found.has(subject))
  return {
    subjects: known.map((subject) => ({ ...subject, adaptation: found.get(subject)?.adaptation ?? unadapted })),
    findings: known.map((subject) => found.get(subject)?.finding as Finding),
  }
}

async function examine(instruments: Instruments, { target, model, gateway }: Unprepared, stop: AbortSignal) {
  const plan: BenchPlan = { ...instruments.plan, maxTokens: Math.min(mostTokens, instruments.plan.maxTokens) }
  const notes: string[] = []
  let adaptation = unadapted
  let measured: Measured
  for (let attempt = 1; ; ) {
    const text = promptFor(builtInPrompt('function'), 0, randomUUID())
    const question = { target, model, text, mode: 'uncached' as const, cacheKey: '', adaptation }
    measured = await runExchange({ ...instruments, plan }, gateway, question, stop)
    const adapted = adapt(measured, adaptation)
    if (adapted !== undefined) {
      adaptation = adapted.adaptation
      notes.push(adapted.note)
    } else if (!isPassing(measured) || stop.aborted || attempt++ >= mostAttempts) break
  }
  const { problem, note } = problemOf(measured, target, model, mostAttempts)
  if (note !== undefined) notes.push(note)
  return { adaptation, finding: findingOf(measured, target.name, model, problem, notes) }
}

/** May well go better the next time. */
function isPassing({ measurement: { outcome, status } }: Measured): boolean {
  if (outcome === 'ok') return false
  if (outcome === 'http_4xx') return status === 408 || status === 409 || status === 425
  return outcome !== 'gateway_timeout'
}

/** A refused field is left out, or named as this gateway wants it. */
function adapt(
  { measurement, refusal }: Measured,
  before: Adaptation,
): { adaptation: Adaptation; note: string } | undefined {
  if (measurement.status !== 400 && measurement.status !== 422) return undefined
  if (before.maxTokensField === 'max_tokens' && refusal.includes('max_completion_tokens')) {
    const adaptation = { ...before, maxTokensField: 'max_completion_tokens' as const }
    return { adaptation, note: 'max_completion_tokens is sent: the gateway refuses max_tokens' }
  }
  if (before.temperature && refusal.includes('temperature')) {
    const adaptation = { ...before, temperature: false }
    return { adaptation, note: 'no temperature is sent: the gateway refuses it, so answers may differ in length' }
  }
  if (before.streamOptions && /stream_options|include_usage/.test(refusal)) {
    const adaptation = { ...before, streamOptions: false }
    return { adaptation, note: 'no stream_options are sent: the gateway refuses them, so there may be no usage' }
  }
  return undefined
}

function findingOf(
  { measurement, late }: Measured,
  target: string,
  model: string,
  problem: string | null,
  notes: string[],
): Finding {
  const { operation } = measurement.identity
  const place = {
    target,
    model,
    operation: operation as NonNullable<typeof operation>,
    prompt: 'function',
    mode: 'uncached' as const,
    load: { kind: 'closed' as const, concurrency: 1 },
    round: 0,
  }
  const seen = resultOf(measurement, place, { scheduled: undefined, left: 'cold', late, begin: 0 })
  const whole = seen.outcome === 'ok'
  if (whole && !seen.streamed) notes.push('the answer did not come as a stream: no time to first token, no rates')
  if (whole && seen.tokens?.output == null) notes.push('no usage: characters per second alone')
  if (seen.buffered) notes.push('buffered: something on the way holds the stream back, so there are no rates')
  if (seen.reasoning === 'hidden') notes.push('reasoning is hidden: its tokens are counted and not streamed')
  if (seen.reasoning === 'summarised') notes.push('reasoning is summarised: rates are those of the answer')
  return {
    target,
    model,
    problem,
    notes,
    usage: whole ? seen.tokens?.output != null : null,
    cumulativeUsage: whole ? seen.cumulativeUsage : null,
    reasoning: seen.reasoning,
    tokensPerEvent: seen.tokensPerEvent,
    events: whole ? seen.output.events : null,
    chunks: whole ? seen.output.chunks : null,
    buffered: whole ? seen.buffered : null,
    cost: whole ? seen.costUsd !== null : null,
  }
}
