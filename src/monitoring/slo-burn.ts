import { duration } from './duration.ts'
import { boundLabel, failures, lines, perModel, prefix } from './promql.ts'
import type { Alert, RuleGroup } from './rule.ts'
import type { BurnLevel, LatencyObjective, MonitoringSettings } from './settings.ts'

/**
 * Share of streams that were slower than the threshold or failed. The larger of two shares, so that no stream counts twice:
 * those without a first token in time (slow, refused or failed before it), and those that failed as a stream. A client that left before the threshold
 * says nothing and is in neither number; one that waited longer had a slow stream.
 */
export function badShare(objective: LatencyObjective, window: string, by = perModel, extra = ''): string {
  const models = objective.models === '.*' ? '' : `model=~${JSON.stringify(objective.models)}`
  const matchers = [models, extra].filter((part) => part !== '').join(', ')
  const bound = `le="${boundLabel(objective.threshold)}"`
  const count = (metric: string, ...more: string[]): string => {
    const inner = [...more, ...(matchers === '' ? [] : [matchers])].join(', ')
    return `sum by (${by}) (increase(${prefix}${metric}${inner === '' ? '' : `{${inner}}`}[${window}]))`
  }
  const started = `(${count('streams_started_total')} - (${count('abandoned_wait_seconds_bucket', bound)}))`
  const inTime = count('time_to_first_token_seconds_bucket', bound)
  const broken = count('requests_total', 'streamed="true"', `outcome=~"${failures}|truncated"`)
  return lines(
    `clamp(max by (${by}) (`,
    `  label_replace(1 - ${inTime} / (${started} > 0), "why", "slow", "", "")`,
    `  or label_replace(${broken} / (${started} > 0), "why", "failed", "", "")`,
    '), 0, 1)',
  )
}

const shareName = ({ name }: LatencyObjective, window: number): string =>
  `model:${prefix}slo_${name}_bad:share${duration(window)}`

function burnAlert(objective: LatencyObjective, level: BurnLevel, settings: MonitoringSettings): Alert {
  const { short, long, factor, severity } = level
  const share = factor * (1 - objective.objective)
  const limit = Number(share.toPrecision(6))
  const started = `sum by (${perModel}) (increase(${prefix}streams_started_total[${duration(long)}]))`
  return {
    name: 'StreamgaugeSloBurn',
    severity,
    scope: 'model',
    about: `slo_${objective.name}`,
    labels: { window: duration(long) },
    expr: lines(
      `${shareName(objective, long)} > ${limit}`,
      `and ${shareName(objective, short)} > ${limit}`,
      // The number of bad ones, not of all: a handful of slow streams is no reason to wake anybody, however few others there were.
      `and ${shareName(objective, long)} * ${started} >= ${settings.leastEvents}`,
    ),
    for: settings.patience.short,
    keepFiring: settings.keepFiring,
    summary: `Too many streams of {{ $labels.model }} at {{ $labels.gateway }} are slow or fail`,
    description:
      `{{ $value | humanizePercentage }} of the streams of the last ${duration(long)} had no first token within ${objective.threshold} s, or failed. ` +
      `The objective allows ${Number(((1 - objective.objective) * 100).toPrecision(6))} %; this alert is for ${factor} times that.`,
    dashboard: 'streamgauge-overview',
  }
}

export function sloGroup(settings: MonitoringSettings): RuleGroup {
  const windows = [...new Set(settings.burn.flatMap(({ short, long }) => [short, long]))].sort((a, b) => a - b)
  return {
    name: 'streamgauge-slo',
    comment: 'Share of started streams that were slower than the threshold or failed, over several windows.',
    interval: settings.interval,
    records: settings.objectives.flatMap((objective) =>
      windows.map((window) => ({
        record: shareName(objective, window),
        expr: badShare(objective, duration(window)),
      })),
    ),
    alerts: settings.objectives.flatMap((objective) =>
      settings.burn.map((level) => burnAlert(objective, level, settings)),
    ),
  }
}
