import { type Reason, reasonTexts } from '../measurement/reasons.ts'
import { type EventLoopStall, remembered } from './event-loop.ts'
import { cleanLabel } from './label-values.ts'
import type { Advice } from './live-shapes.ts'
import type { RecentExchange } from './recent.ts'

interface Rule {
  readonly reason: Reason
  /** Who can do something about it. */
  readonly by: 'app' | 'gateway' | 'model'
  readonly severity: Advice['severity']
  /** Goes on from "43 of 50 exchanges …". */
  readonly says: string
}

/** What stands in the way of the figure that needs most: its reason comes last of all. */
const demanding = 'output_tokens_per_second'

const rules: readonly Rule[] = [
  { reason: 'buffered', by: 'gateway', severity: 'warning', says: 'arrived in a burst and have no rates' },
  { reason: 'no_usage', by: 'app', severity: 'warning', says: 'have no token rates' },
  { reason: 'not_decoded', by: 'gateway', severity: 'warning', says: 'could not be read' },
  { reason: 'backpressure', by: 'app', severity: 'warning', says: 'have no rates' },
  { reason: 'usage_mismatch', by: 'model', severity: 'warning', says: 'have no token rates' },
  { reason: 'error', by: 'gateway', severity: 'warning', says: 'failed before the first token' },
  { reason: 'incomplete', by: 'gateway', severity: 'note', says: 'broke off and have no rates' },
  { reason: 'client_left', by: 'app', severity: 'note', says: 'have no time to first token' },
  { reason: 'not_streamed', by: 'app', severity: 'note', says: 'have no time to first token and no rates' },
  { reason: 'many_choices', by: 'app', severity: 'note', says: 'have no rates' },
  { reason: 'summarised_reasoning', by: 'model', severity: 'note', says: 'have no token rates' },
  { reason: 'no_output', by: 'model', severity: 'note', says: 'have no time to first token' },
  { reason: 'one_chunk', by: 'model', severity: 'note', says: 'have no rates' },
  { reason: 'too_few_tokens', by: 'app', severity: 'note', says: 'are too short for a token rate' },
  { reason: 'window_too_short', by: 'model', severity: 'note', says: 'are too short for a rate' },
]

/** Fewer, or a smaller share, are not worth a line. */
const fewest = 3
const smallestShare = 0.1
const mostLines = 40

/** Shorter stalls are in the uncertainty of each exchange, and nothing to tell of. */
const shortestStallSeconds = 0.05

interface Group {
  of: number
  count: number
  example: string
}

/** What cannot be measured and why, from the last exchanges. The gravest first. */
export function adviseOn(
  recent: readonly RecentExchange[],
  stalls: readonly (EventLoopStall & { readonly wallClock: number })[],
): Advice[] {
  const generations = recent.filter(({ measurement: m }) => m.identity.operation !== undefined)
  const all = [
    ...rules.flatMap((rule) => applyRule(rule, generations)),
    ...adviseOnNames(generations),
    ...adviseOnFaults(generations),
    ...adviseOnStalls(stalls),
  ]
  const grave = all.filter(({ severity }) => severity === 'warning')
  return [...grave, ...all.filter(({ severity }) => severity === 'note')].slice(0, mostLines)
}

function applyRule({ reason, by, severity, says }: Rule, generations: readonly RecentExchange[]): Advice[] {
  const groups = new Map<string, Group>()
  for (const { measurement: m, evaluation } of generations) {
    const name = cleanLabel(m.identity[by])
    const group = groups.get(name) ?? { of: 0, count: 0, example: '' }
    groups.set(name, group)
    group.of++
    if (evaluation.unmeasured[demanding] !== reason) continue
    // The first is the newest.
    group.example ||= m.identity.id
    group.count++
  }
  const worth = [...groups].filter(([, { count, of }]) => count >= fewest && count >= smallestShare * of)
  return worth
    .sort(([, a], [, b]) => b.count - a.count)
    .map(([name, { count, of, example }]) => ({
      severity,
      kind: by,
      name,
      what: `${count} of ${of} exchanges ${says}`,
      ...reasonTexts[reason],
      example,
      at: null,
    }))
}

/** An app without a name cannot be told from others. */
function adviseOnNames(generations: readonly RecentExchange[]): Advice[] {
  const nameless = generations.filter(({ measurement: m }) => m.identity.app === '')
  if (nameless.length < fewest) return []
  return [
    {
      severity: 'note',
      kind: 'app',
      name: '',
      what: `${nameless.length} of ${generations.length} exchanges name no app`,
      why: 'neither the address nor a header tells who asks',
      remedy: 'Put /@NAME before /v1 in the base_url of each app, or let it send x-streamgauge-app.',
      example: nameless[0]?.measurement.identity.id ?? null,
      at: null,
    },
  ]
}

function adviseOnFaults(generations: readonly RecentExchange[]): Advice[] {
  const failed = generations.filter(({ evaluation }) => evaluation.flags.includes('measuring_failed'))
  const [newest] = failed
  if (newest === undefined) return []
  const stages = new Set(failed.flatMap(({ measurement: m }) => m.measurementErrors))
  return [
    {
      severity: 'warning',
      kind: 'instrument',
      name: '',
      what: `measuring failed in part in ${failed.length} of ${generations.length} exchanges (${[...stages].join(', ')})`,
      why: 'something in the answer could not be read; its bytes were passed on unchanged',
      remedy: 'Look at measurement_errors_total. If the gateway keeps to the API, please report it.',
      example: newest.measurement.identity.id,
      at: null,
    },
  ]
}

function adviseOnStalls(stalls: readonly (EventLoopStall & { readonly wallClock: number })[]): Advice[] {
  const long = stalls.filter(({ seconds }) => seconds >= shortestStallSeconds).sort((a, b) => b.seconds - a.seconds)
  const [longest] = long
  if (longest === undefined) return []
  const count = stalls.length < remembered ? `${long.length}` : `at least ${long.length}`
  const times = long.length === 1 ? 'once' : `${count} times`
  return [
    {
      severity: 'note',
      kind: 'instrument',
      name: '',
      what: `the event loop stood still ${times}, the longest ${Math.round(longest.seconds * 1000)} ms`,
      why: 'marks of such a moment are uncertain by as much; each exchange tells its own uncertainty',
      remedy: 'Give the proxy a core of its own, or run more of them.',
      example: null,
      at: longest.wallClock,
    },
  ]
}
