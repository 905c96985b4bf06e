import type { BenchRun } from './bench-run.ts'
import type { Finding } from './preflight.ts'
import type { Section } from './report-section.ts'

const yesNo = (value: boolean | null): string => (value === null ? '–' : value ? 'yes' : 'no')

/** What the preflight found. */
export function preflightSection(findings: readonly Finding[]): Section {
  return {
    title: 'What can be measured here',
    table: {
      head: [
        'model',
        'target',
        'usage',
        'cumulative',
        'reasoning',
        'tok/event',
        'events in chunks',
        'buffered',
        'cost',
      ],
      texts: 9,
      rows: findings.map((finding) => [
        finding.model,
        finding.target,
        yesNo(finding.usage),
        yesNo(finding.cumulativeUsage),
        finding.reasoning ?? 'none seen',
        finding.tokensPerEvent === null ? '–' : finding.tokensPerEvent.toFixed(2),
        finding.events === null ? '–' : `${finding.events} in ${finding.chunks}`,
        yesNo(finding.buffered),
        yesNo(finding.cost),
      ]),
    },
    notes: findings.flatMap(({ model, target, notes }) => notes.map((note) => `${model} at ${target}: ${note}`)),
  }
}

/** Whether the bench itself was fit to measure. */
export function selfCheckSection({ selfCheck, environment, version, definitions, exchanges, plan }: BenchRun): Section {
  const { cores, longestStallMs, heldShare, spoilt, fillers, longestLagMs } = selfCheck
  const lag = longestLagMs === null ? '' : `, requests up to ${longestLagMs.toFixed(1)} ms late`
  const left = fillers === 0 ? '' : ` ${fillers} more requests only kept loads up and were left.`
  return {
    title: 'The bench itself',
    notes: [
      `${exchanges.length} exchanges, ${spoilt} spoilt by the bench and left out.${left}`,
      `Processor: ${cores.toFixed(2)} cores. Event loop: held for ${(100 * heldShare).toFixed(1)} % of the time, ${longestStallMs.toFixed(0)} ms at most${lag}.`,
      `Streamgauge ${version}, definitions ${definitions}, Node ${environment.node}, ${environment.platform}, ${environment.cores} cores, seed ${plan.seed}.`,
      'Medians with exact 95 % intervals of order statistics. The first run of each is not among them.',
    ],
  }
}
