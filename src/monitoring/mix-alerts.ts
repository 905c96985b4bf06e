import { duration } from './duration.ts'
import { increase, lines, perModel, prefix } from './promql.ts'
import type { Alert, RecordingRule, RuleGroup } from './rule.ts'
import type { MonitoringSettings } from './settings.ts'

const served = (window: number): string => `model:${prefix}served_by:increase${duration(window)}`
const tokens = (window: number): string => `app:${prefix}tokens:increase${duration(window)}`

function recordings({ windows }: MonitoringSettings): RecordingRule[] {
  const window = duration(windows.long)
  return [
    {
      record: served(windows.long),
      expr: increase('served_by_total', '', window, `${perModel}, served_model, provider`),
    },
    {
      record: tokens(windows.long),
      expr: increase('tokens_total', 'type=~"input|cached_input"', window, `${perModel}, app, type`),
    },
  ]
}

/** Total variation: half the sum of the differences between two sets of shares, which is the share that moved. */
function fallback(settings: MonitoringSettings): Alert {
  const now = served(settings.windows.long)
  const ago = `${now} offset ${duration(settings.baselines[0])}`
  const share = (series: string): string =>
    `${series} / on (${perModel}) group_left () (sum by (${perModel}) (${series}) > 0)`
  const least = 3 * settings.leastEvents
  return {
    name: 'StreamgaugeServedByOthers',
    severity: 'ticket',
    scope: 'model',
    about: 'fallback',
    expr: lines(
      `sum by (${perModel}) (clamp_min((${share(now)}) - ((${share(ago)}) or ${now} * 0), 0)) > 0.3`,
      `and sum by (${perModel}) (${now}) >= ${least}`,
      `and sum by (${perModel}) (${ago}) >= ${least}`,
    ),
    for: settings.patience.long,
    keepFiring: settings.keepFiring,
    summary: '{{ $labels.model }} at {{ $labels.gateway }} is answered by others than before',
    description: `{{ $value | humanizePercentage }} of the answers of the last ${duration(settings.windows.long)} came from another model or provider than ${duration(settings.baselines[0])} ago: the gateway falls back, or routes in another way.`,
    dashboard: 'streamgauge-compare',
  }
}

/** Against what the same apps had a day ago, so that a shift of traffic between apps is no fall. */
function cacheFell(settings: MonitoringSettings): Alert {
  const now = tokens(settings.windows.long)
  const back = ` offset ${duration(settings.baselines[0])}`
  const input = (offset: string): string => `sum by (${perModel}, app) (${now}{type="input"}${offset})`
  const cached = (offset: string): string => `sum by (${perModel}, app) (${now}{type="cached_input"}${offset})`
  const expected = `sum by (${perModel}) (${input('')} * ${cached(back)} / (${input(back)} > 0))`
  const all = `sum by (${perModel}) (${input('')} and ${input(back)} > 0)`
  const hit = `sum by (${perModel}) (${cached('')} and ${input(back)} > 0)`
  const requests = (offset: string): string =>
    `sum by (${perModel}) (increase(${prefix}requests_total{outcome="ok"}[${duration(settings.windows.long)}]${offset}))`
  const least = 3 * settings.leastEvents
  return {
    name: 'StreamgaugeCacheHitsFell',
    severity: 'ticket',
    scope: 'model',
    about: 'cache',
    expr: lines(
      `${hit} / (${expected} > 0) < 0.5`,
      `and ${expected} / ${all} > 0.1`,
      `and ${requests('')} >= ${least}`,
      `and ${requests(back)} >= ${least}`,
    ),
    for: settings.patience.long,
    keepFiring: settings.keepFiring,
    summary: 'The prompt cache of {{ $labels.model }} at {{ $labels.gateway }} is hit less',
    description: `The share of cached input tokens is {{ $value | humanizePercentage }} of what the same apps had ${duration(settings.baselines[0])} ago. Answers begin later and cost more.`,
    dashboard: 'streamgauge-reliability',
  }
}

export function mixGroup(settings: MonitoringSettings): RuleGroup {
  return {
    name: 'streamgauge-mix',
    comment: 'Who answers, and what the prompt cache gives, against the day before.',
    interval: settings.interval,
    records: recordings(settings),
    alerts: [fallback(settings), cacheFell(settings)],
  }
}
