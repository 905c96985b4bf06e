import { duration } from './duration.ts'
import { boundLabel, failures, increase, lines, perGateway, perModel, prefix } from './promql.ts'
import type { Alert, RuleGroup } from './rule.ts'
import type { MonitoringSettings, Severity } from './settings.ts'

const who = '{{ $labels.model }} at {{ $labels.gateway }}'
const generations = 'operation!="passthrough"'

function hangs({ hang, windows, interval }: MonitoringSettings): Alert {
  const longest = `max by (${perModel}) (${prefix}longest_wait_seconds)`
  const buckets = increase('time_to_first_token_seconds_bucket', '', duration(6 * windows.long), `${perModel}, le`)
  const p95 = `histogram_quantile(0.95, ${buckets})`
  return {
    name: 'StreamgaugeGatewayHangs',
    severity: 'page',
    scope: 'model',
    about: 'hang',
    expr: lines(
      `${longest} > ${hang.wait}`,
      `and sum by (${perModel}) (${prefix}streams_awaiting_first_token) >= ${hang.streams}`,
      // A model that thinks for minutes does not hang. No quantile, no objection.
      `unless ${longest} < 3 * ${p95}`,
    ),
    for: interval,
    summary: `${who} does not answer`,
    description: `At least ${hang.streams} streams wait for their first token, the longest for {{ $value | humanizeDuration }}. Streams that wait are in no histogram yet.`,
    dashboard: 'streamgauge-overview',
  }
}

/** Share of the ended generations that had an outcome. */
const outcomeShare = (outcome: string, window: string): string =>
  `${increase('requests_total', `${generations}, outcome=~"${outcome}"`, window)} / ${increase('requests_total', generations, window)}`

interface OutcomeAlert {
  readonly name: string
  readonly severity: Severity
  readonly about: string
  readonly outcome: string
  readonly limit: number
  readonly short: number
  readonly long: number
  readonly least: number
  readonly what: string
}

function outcomeAlert(settings: MonitoringSettings, alert: OutcomeAlert): Alert {
  const [short, long] = [duration(alert.short), duration(alert.long)]
  return {
    name: alert.name,
    severity: alert.severity,
    scope: 'model',
    about: alert.about,
    expr: lines(
      `${outcomeShare(alert.outcome, long)} > ${alert.limit}`,
      `and ${outcomeShare(alert.outcome, short)} > ${alert.limit}`,
      `and ${increase('requests_total', `${generations}, outcome=~"${alert.outcome}"`, long)} >= ${alert.least}`,
    ),
    for: settings.patience.short,
    keepFiring: settings.keepFiring,
    summary: `${alert.what}: ${who}`,
    description: `{{ $value | humanizePercentage }} of the requests of the last ${long} ended so; more than ${alert.limit * 100} % also in the last ${short}.`,
    dashboard: 'streamgauge-reliability',
  }
}

function outcomeAlerts(settings: MonitoringSettings): Alert[] {
  const { windows, leastEvents } = settings
  const errors = { name: 'StreamgaugeErrorShare', about: 'errors', outcome: failures, what: 'Requests fail' } as const
  return [
    { ...errors, severity: 'page', limit: 0.2, short: windows.short, long: windows.medium, least: leastEvents },
    { ...errors, severity: 'ticket', limit: 0.05, short: windows.medium, long: 6 * windows.long, least: leastEvents },
    {
      name: 'StreamgaugeRateLimited',
      severity: 'ticket',
      about: 'rate_limit',
      outcome: 'rate_limited',
      limit: 0.05,
      short: windows.short,
      long: windows.medium,
      least: leastEvents,
      what: 'Requests are rate limited',
    } as const,
    {
      name: 'StreamgaugeTruncatedStreams',
      severity: 'ticket',
      about: 'truncated',
      outcome: 'truncated',
      limit: 0.01,
      short: windows.medium,
      long: 6 * windows.long,
      least: leastEvents / 2,
      what: 'Answers end without their end',
    } as const,
  ].map((alert) => outcomeAlert(settings, alert as OutcomeAlert))
}

function abandoned(settings: MonitoringSettings): Alert[] {
  return settings.objectives.slice(0, 1).map(({ threshold }) => {
    const window = duration(settings.windows.long)
    const late =
      `(sum by (${perModel}) (increase(${prefix}abandoned_wait_seconds_count[${window}]))` +
      ` - ${increase('abandoned_wait_seconds_bucket', `le="${boundLabel(threshold)}"`, window)})`
    return {
      name: 'StreamgaugeAbandonedWaits',
      severity: 'ticket',
      scope: 'model',
      about: 'abandoned',
      expr: lines(
        `${late} / ${increase('streams_started_total', '', window)} > 0.05`,
        `and ${late} >= ${settings.leastEvents}`,
      ),
      for: settings.patience.short,
      keepFiring: settings.keepFiring,
      summary: `Clients give up waiting for ${who}`,
      description: `{{ $value | humanizePercentage }} of the streams of the last ${window} were left before their first token after more than ${threshold} s. They are missing in the time to first token, which looks better than it is.`,
      dashboard: 'streamgauge-reliability',
    }
  })
}

function buffering(settings: MonitoringSettings): Alert {
  const window = duration(settings.windows.long)
  const near = settings.baselines[0]
  const share = (offset: string): string =>
    `sum by (${perModel}) (increase(${prefix}buffered_streams_total[${window}]${offset})) / sum by (${perModel}) (increase(${prefix}streams_started_total[${window}]${offset}))`
  return {
    name: 'StreamgaugeBufferingAppeared',
    severity: 'ticket',
    scope: 'model',
    about: 'buffering',
    expr: lines(
      `${share('')} > 0.1`,
      `and ${increase('buffered_streams_total', '', window)} >= ${settings.leastEvents}`,
      `unless ${share(` offset ${duration(near)}`)} > 0.1`,
    ),
    for: settings.patience.short,
    keepFiring: settings.keepFiring,
    summary: `Streams of ${who} come in one piece`,
    description: `Something on the way held back {{ $value | humanizePercentage }} of the streams of the last ${window} and sent them in a burst; ${duration(near)} ago it did not. They have a time to first token, which is that of the whole answer, and no rate.`,
    dashboard: 'streamgauge-latency',
  }
}

function unreachable(settings: MonitoringSettings): Alert {
  const window = duration(settings.windows.short)
  const failed = increase('requests_total', 'gateway!="", outcome="gateway_error"', window, perGateway)
  return {
    name: 'StreamgaugeGatewayUnreachable',
    severity: 'page',
    scope: 'gateway',
    about: 'unreachable',
    expr: lines(
      `${failed} / ${increase('requests_total', 'gateway!="", outcome!="rejected"', window, perGateway)} > 0.5`,
      `and ${failed} >= ${settings.leastEvents / 2}`,
    ),
    for: settings.patience.short,
    keepFiring: settings.keepFiring,
    summary: 'The gateway {{ $labels.gateway }} cannot be reached',
    description: `{{ $value | humanizePercentage }} of the requests of the last ${window} found no connection, or lost it.`,
    dashboard: 'streamgauge-reliability',
  }
}

export function gatewayGroup(settings: MonitoringSettings): RuleGroup {
  return {
    name: 'streamgauge-gateways',
    comment: 'What gateways do: hang, fail, limit, cut, buffer.',
    interval: settings.interval,
    records: [],
    alerts: [
      hangs(settings),
      unreachable(settings),
      ...outcomeAlerts(settings),
      ...abandoned(settings),
      buffering(settings),
    ],
  }
}
