import { failures } from '../promql.ts'
import type { DashboardPlan } from './dashboard.ts'
import { itself } from './itself.ts'
import { lines } from './line-panel.ts'
import { heat } from './panel.ts'
import { definition, growth, rate, ratio, series, shownRange } from './queries.ts'
import { rows } from './table-panel.ts'

const who = '{{gateway}} / {{model}}'
const byModel = 'gateway, model'
const generations = 'operation!="passthrough"'
const whole = { window: shownRange }
const requests = (by: string, ...more: readonly string[]): string => rate(by, series('requests_total', ...more))
const tokens = (by: string, type: string): string => rate(by, series('tokens_total', `type="${type}"`))

/** Outcomes, cost, and whether the instrument itself is well. */
export const reliability: DashboardPlan = {
  uid: 'streamgauge-reliability',
  title: 'Streamgauge: reliability, cost, itself',
  description: 'How requests end, what they cost, and whether Streamgauge itself is well.',
  from: 'now-6h',
  sections: [
    {
      title: 'Outcomes',
      panels: [
        lines(
          {
            title: 'Outcomes that are not ok, by model',
            description:
              'Generations a second. gateway_error: no connection, or it broke; truncated: no end event; stream_error: an error inside a 2xx answer; client_abort: the client left.',
            unit: 'reqps',
            width: 12,
          },
          [
            {
              legend: `${who} {{outcome}}`,
              expr: `${requests('gateway, model, outcome', generations, 'outcome!="ok"')} > 0`,
            },
          ],
          { stacked: true, worst: 'high', legendWidth: 400, empty: 'nothing but ok' },
        ),
        lines(
          {
            title: 'Failed share by model',
            description: `Share of generations that ended as ${failures.replaceAll('|', ', ')} or truncated.`,
            unit: 'percentunit',
            width: 12,
          },
          [
            {
              legend: who,
              expr: ratio(
                requests(byModel, generations, `outcome=~"${failures}|truncated"`),
                requests(byModel, generations),
              ),
            },
          ],
          { max: 1, worst: 'high' },
        ),
        heat(
          {
            title: 'Abandoned waits',
            description: `${definition('abandoned_wait_seconds')} A sharp edge is a client's time limit.`,
            unit: 's',
            width: 12,
          },
          growth('le', series('abandoned_wait_seconds_bucket')),
        ),
        lines(
          {
            title: 'Left before the first token',
            description: 'Share of started streams.',
            unit: 'percentunit',
            width: 12,
          },
          [
            {
              legend: who,
              expr: ratio(
                rate(byModel, series('abandoned_wait_seconds_count')),
                rate(byModel, series('streams_started_total')),
              ),
            },
          ],
          { max: 1, worst: 'high' },
        ),
        lines(
          {
            title: 'Passed through',
            description:
              'What is not a generation: embeddings, models, files and the like. Requests a second, by outcome.',
            unit: 'reqps',
            width: 12,
          },
          [
            {
              legend: '{{gateway}} {{outcome}}',
              expr: `${rate('gateway, outcome', 'streamgauge_requests_total{gateway=~"$gateway", operation="passthrough"}')} > 0`,
            },
          ],
          { empty: 'nothing was passed through' },
        ),
        lines(
          {
            title: 'Sent again',
            description: 'Requests sent again because a kept connection had gone stale, a second.',
            unit: 'reqps',
            width: 12,
          },
          [{ legend: who, expr: rate(byModel, series('resends_total')) }],
          { worst: 'high' },
        ),
      ],
    },
    {
      title: 'Tokens and cost',
      panels: [
        lines(
          {
            title: 'Tokens by type',
            description: 'By the usage that gateways report. Cached input is part of input, reasoning part of output.',
            unit: 'tok/s',
            width: 6,
          },
          [{ legend: '{{type}}', expr: rate('type', series('tokens_total')) }],
        ),
        lines(
          {
            title: 'Cache hit share',
            description: 'Cached input tokens divided by input tokens.',
            unit: 'percentunit',
            width: 12,
          },
          [{ legend: who, expr: ratio(tokens(byModel, 'cached_input'), tokens(byModel, 'input')) }],
          { max: 1, worst: 'high' },
        ),
        lines(
          {
            title: 'What became of cache hints',
            description: 'Answered requests that hinted at a prompt cache, by hint and by what the gateway said.',
            unit: 'reqps',
            width: 6,
          },
          [{ legend: '{{hint}}: {{cache}}', expr: `${rate('hint, cache', series('cache_hints_total'))} > 0` }],
          { stacked: true, empty: 'no request hinted at a cache' },
        ),
        ...(['app', 'model'] as const).map((by) =>
          rows(
            {
              title: `Cost by ${by}`,
              description:
                'US dollars over the time shown: as gateways report it, else by the price table of the configuration. Nothing where neither is known.',
              unit: 'currencyUSD',
              width: 12,
            },
            [
              { name: 'USD', expr: `${growth(by, series('cost_usd_total'), whole)} > 0`, unit: 'currencyUSD' },
              {
                name: 'output tokens',
                expr: `${growth(by, series('tokens_total', 'type="output"'), whole)} > 0`,
                unit: 'count',
              },
            ],
            { sortBy: { name: 'USD', descending: true }, labels: [by], empty: 'No tokens were reported in this time.' },
          ),
        ),
        rows(
          {
            title: 'Figures that are missing, by reason',
            description: 'A figure that cannot be had is never 0: it is counted here with its reason.',
            unit: 'short',
            width: 24,
          },
          [
            {
              name: 'exchanges',
              expr: `${growth('figure, reason', series('unmeasured_total'), whole)} > 0`,
              unit: 'count',
            },
          ],
          {
            sortBy: { name: 'exchanges', descending: true },
            labels: ['figure', 'reason'],
            empty: 'No figure is missing.',
          },
        ),
      ],
    },
    itself,
  ],
}
