import { failures } from '../promql.ts'
import type { MonitoringSettings } from '../settings.ts'
import { badShare } from '../slo-burn.ts'
import type { DashboardPlan } from './dashboard.ts'
import { lines } from './line-panel.ts'
import { outcomeColors } from './outcome-colors.ts'
import { numbers } from './panel.ts'
import { definition, growth, orZero, quantile, rate, rateWindow, ratio, series } from './queries.ts'
import { rows } from './table-panel.ts'

/** Now, and at the same time before. */
const times = [
  { legend: 'now' },
  { legend: 'yesterday', ago: '1d', past: true },
  { legend: 'last week', ago: '7d', past: true },
]
const over = '15m'
const ttft = 'time_to_first_token_seconds'
const generations = 'operation!="passthrough"'
const who = '{{gateway}} / {{model}}'

const requests = (by: string, ...more: readonly string[]): string =>
  rate(by, series('requests_total', generations, ...more))
const chosen = 'gateway=~"$gateway", model=~"$model", operation=~"$operation"'

/** One screen: is it bad now? */
export function overview(settings: MonitoringSettings): DashboardPlan {
  const [objective] = settings.objectives
  if (objective === undefined) throw new Error('there is no objective to show')
  const allowed = Number((1 - objective.objective).toPrecision(6))
  const slower = (by: string): string => badShare(objective, rateWindow, by, chosen).trim()
  const fifteen = 'Over the last 15 minutes, or more where the time shown is long.'
  return {
    uid: 'streamgauge-overview',
    title: 'Streamgauge: overview',
    description:
      'Is it bad now? Time to first token against yesterday and last week, errors, waiting streams, firing alerts.',
    from: 'now-6h',
    sections: [
      {
        title: 'Now',
        panels: [
          ...[0.5, 0.95].map((q) =>
            numbers(
              {
                title: `Time to first token, p${q * 100}`,
                description: `${definition(ttft)} ${fifteen} A value of 600 s means that or more.`,
                unit: 's',
                width: 6,
              },
              times.map(({ legend, ago }) => ({
                legend,
                expr: quantile(q, ttft, '', ago === undefined ? {} : { ago }),
              })),
              { over, empty: 'no streams' },
            ),
          ),
          numbers(
            {
              title: 'Streams with a first token',
              description: `The number of samples behind the quantiles: with 20 a p95 is good to about half, with 300 to 12 %. ${fifteen}`,
              unit: 'count',
              width: 5,
            },
            times.map(({ legend, ago }) => ({
              legend,
              expr: orZero(growth('', series(`${ttft}_count`), ago === undefined ? {} : { ago })),
            })),
            { over },
          ),
          numbers(
            {
              title: `Slower than ${objective.threshold} s, or failed`,
              description: `Share of started streams without a first token within ${objective.threshold} s, or that failed. Clients that left before that are in neither number. The objective allows ${allowed * 100} %. ${fifteen}`,
              unit: 'percentunit',
              width: 4,
            },
            [{ expr: orZero(slower('')) }],
            { over, limits: [allowed, 2 * allowed] },
          ),
          numbers(
            {
              title: 'Longest wait',
              description:
                'How long the stream that waits longest for its first token has waited. It is in no histogram yet.',
              unit: 's',
              width: 3,
            },
            [{ expr: orZero(`max(${series('longest_wait_seconds')})`) }],
            { limits: [30, 60] },
          ),
          numbers(
            {
              title: 'Tokens per second',
              description: `${definition('output_tokens_per_second')} p10 is what the slow tenth sees. ${fifteen}`,
              unit: 'tok/s',
              width: 5,
            },
            [0.1, 0.5].map((q) => ({ legend: `p${q * 100}`, expr: quantile(q, 'output_tokens_per_second', '') })),
            { over, empty: 'no streams with a rate' },
          ),
          numbers(
            {
              title: 'Failed, rate limited',
              description: `Share of requests that ended in an error of the gateway, and that were answered 429. ${fifteen}`,
              unit: 'percentunit',
              width: 5,
            },
            [
              { legend: 'failed', expr: orZero(ratio(requests('', `outcome=~"${failures}"`), requests(''))) },
              { legend: 'rate limited', expr: orZero(ratio(requests('', 'outcome="rate_limited"'), requests(''))) },
            ],
            { over, limits: [0.01, 0.05] },
          ),
          numbers(
            {
              title: 'In flight',
              description: 'Streams in flight, those of them without a first token, read at the last scrape.',
              unit: 'count',
              width: 4,
            },
            [
              { legend: 'in flight', expr: orZero(`sum(${series('streams_in_flight')})`) },
              { legend: 'waiting', expr: orZero(`sum(${series('streams_awaiting_first_token')})`) },
            ],
          ),
          rows(
            {
              title: 'Firing alerts',
              description:
                'Alerts of Streamgauge that Prometheus holds for firing. Inhibited ones are among them. It needs the rules of config/prometheus/rules.',
              unit: 'short',
              width: 10,
              height: 5,
            },
            [
              {
                name: 'alerts',
                expr: 'count by (severity, alertname, gateway, model, instance) (ALERTS{alertname=~"Streamgauge.+", alertstate="firing"})',
                unit: 'count',
                hidden: true,
              },
            ],
            {
              labels: ['severity', 'alertname', 'gateway', 'model', 'instance'],
              empty: 'No alert fires.',
            },
          ),
        ],
      },
      {
        title: 'Today',
        panels: [
          ...[0.5, 0.95].map((q) =>
            lines(
              {
                title: `Time to first token, p${q * 100}, against yesterday and last week`,
                description: definition(ttft),
                unit: 's',
                width: 12,
              },
              times.map(({ legend, ago, past }) => ({
                legend,
                expr: quantile(q, ttft, '', ago === undefined ? {} : { ago }),
                ...(past && { past }),
                ...(ago === undefined && q > 0.9 && { exemplars: true }),
              })),
            ),
          ),
          lines(
            {
              title: `Slower than ${objective.threshold} s, or failed, by model`,
              description: `Share of started streams; the objective allows ${allowed * 100} %.`,
              unit: 'percentunit',
              width: 12,
            },
            [{ legend: who, expr: slower('gateway, model') }],
            { max: 1, limit: allowed, worst: 'high' },
          ),
          lines(
            {
              title: 'Requests by outcome',
              description: 'Generations that ended, a second. client_abort: the client left; that is no error.',
              unit: 'reqps',
              width: 6,
            },
            [{ legend: '{{outcome}}', expr: `${requests('outcome')} > 0 or ${requests('outcome', 'outcome="ok"')}` }],
            { stacked: true, colors: outcomeColors },
          ),
          lines(
            {
              title: 'Streams in flight and waiting',
              description: 'Read at each scrape: a gateway that hangs shows here first.',
              unit: 'short',
              width: 6,
            },
            [
              { legend: 'in flight', expr: orZero(`sum(${series('streams_in_flight')})`) },
              { legend: 'waiting for the first token', expr: orZero(`sum(${series('streams_awaiting_first_token')})`) },
            ],
          ),
        ],
      },
    ],
  }
}
