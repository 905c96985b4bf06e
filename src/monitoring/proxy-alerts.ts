import { duration } from './duration.ts'
import { lines, prefix } from './promql.ts'
import type { Alert, RuleGroup } from './rule.ts'
import type { MonitoringSettings } from './settings.ts'

const instance = 'job, instance'
const dashboard = 'streamgauge-reliability'

function targets({ job, patience }: MonitoringSettings): Alert[] {
  const up = `up{job="${job}"}`
  return [
    {
      name: 'StreamgaugeProxyDown',
      severity: 'page',
      scope: 'proxy',
      about: 'down',
      expr: lines(`sum by (job) (${up}) == 0`),
      for: patience.short,
      summary: 'No Streamgauge can be scraped',
      description: `Every target of the job {{ $labels.job }} has failed for ${duration(patience.short)}. Apps that go through it get no answers, unless only the second listener is unreachable.`,
      dashboard,
    },
    {
      name: 'StreamgaugeTargetMissing',
      severity: 'page',
      scope: 'proxy',
      about: 'missing',
      expr: lines(`absent(${up})`),
      for: patience.long,
      summary: 'Prometheus knows no target of the job {{ $labels.job }}',
      description:
        'Nothing is measured and no other alert of Streamgauge can fire: the scrape job or its discovery is gone.',
      dashboard,
    },
    {
      name: 'StreamgaugeReplicaDown',
      severity: 'ticket',
      scope: 'proxy',
      about: 'replica',
      expr: lines(`${up} == 0`, `and on (job) sum by (job) (${up}) > 0`),
      for: patience.long,
      summary: '{{ $labels.instance }} cannot be scraped',
      description: `It has failed for ${duration(patience.long)}, while other replicas are up.`,
      dashboard,
    },
  ]
}

function itself({ windows, patience, keepFiring, leastEvents }: MonitoringSettings): Alert[] {
  const window = duration(windows.medium)
  const overhead = `${prefix}proxy_overhead_seconds`
  const p99 = `histogram_quantile(0.99, sum by (${instance}, le) (increase(${overhead}_bucket[${window}])))`
  const grew = (metric: string, label: string): string =>
    `sum by (${label}) (increase(${prefix}${metric}[${duration(windows.long)}]))`
  return [
    {
      name: 'StreamgaugeProxyOverhead',
      severity: 'ticket',
      scope: 'proxy',
      about: 'overhead',
      expr: lines(
        `${p99} > 0.05`,
        `and sum by (${instance}) (increase(${overhead}_count[${window}])) >= ${10 * leastEvents}`,
      ),
      for: patience.long,
      keepFiring,
      summary: '{{ $labels.instance }} makes streams wait',
      description: `The proxy itself added {{ $value | humanizeDuration }} before the first token at p99 of the last ${window}.`,
      dashboard,
    },
    {
      name: 'StreamgaugeEventLoopStall',
      severity: 'ticket',
      scope: 'proxy',
      about: 'stall',
      expr: lines(`max by (${instance}) (${prefix}event_loop_stall_max_seconds) > 0.1`),
      for: patience.long,
      keepFiring,
      summary: '{{ $labels.instance }} is held up again and again',
      description: `Its event loop was held for {{ $value | humanizeDuration }} within the last minute, and for over 100 ms in every minute before, for ${duration(patience.long)}. Marks may be late by as much.`,
      dashboard,
    },
    {
      name: 'StreamgaugeLabelOverflow',
      severity: 'ticket',
      scope: 'proxy',
      about: 'overflow',
      expr: lines(`${grew('label_overflow_total', 'label')} > 0`),
      for: patience.short,
      keepFiring,
      summary: 'There are more values of {{ $labels.label }} than the configuration allows',
      description: `{{ $value | humanize }} requests of the last ${duration(windows.long)} were counted as "other". Sums are exact; whoever is new is not told apart.`,
      dashboard,
    },
    {
      name: 'StreamgaugeMeasurementErrors',
      severity: 'ticket',
      scope: 'proxy',
      about: 'measurement',
      expr: lines(`${grew('measurement_errors_total', 'stage')} > ${leastEvents}`),
      for: patience.short,
      keepFiring,
      summary: 'Answers cannot be measured ({{ $labels.stage }})',
      description: `{{ $value | humanize }} faults in the last ${duration(windows.long)}. Answers pass untouched; their figures are missing.`,
      dashboard,
    },
  ]
}

export function proxyGroup(settings: MonitoringSettings): RuleGroup {
  return {
    name: 'streamgauge-proxy',
    comment: 'Streamgauge itself.',
    interval: settings.interval,
    records: [],
    alerts: [...targets(settings), ...itself(settings)],
  }
}
