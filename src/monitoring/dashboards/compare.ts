import { failures } from '../promql.ts'
import type { DashboardPlan } from './dashboard.ts'
import { lines } from './line-panel.ts'
import { growth, quantile, ratio, series, shownRange } from './queries.ts'
import { type Column, rows } from './table-panel.ts'

const byModel = 'gateway, model'
const whole = { window: shownRange }
const generations = 'operation!="passthrough"'
const requests = (...more: readonly string[]): string =>
  growth(byModel, series('requests_total', generations, ...more), whole)
const overRange = (q: number, figure: string): string => quantile(q, figure, byModel, whole)
// No cost is known of a model without a price: that is not $0.
const costPerMillion = ratio(
  `1e6 * (${growth(byModel, series('cost_usd_total'), whole)} > 0)`,
  growth(byModel, series('tokens_total', 'type="output"'), whole),
)
const fleetRate = ratio(
  growth(byModel, series('decode_tokens_total'), whole),
  growth(byModel, series('decode_seconds_total'), whole),
)

const columns = {
  ttft50: { name: 'TTFT p50', expr: overRange(0.5, 'time_to_first_token_seconds'), unit: 's' },
  ttft95: { name: 'TTFT p95', expr: overRange(0.95, 'time_to_first_token_seconds'), unit: 's' },
  answer50: { name: 'first answer p50', expr: overRange(0.5, 'time_to_first_answer_seconds'), unit: 's' },
  rate10: { name: 'tok/s p10', expr: overRange(0.1, 'output_tokens_per_second'), unit: 'tok/s' },
  rate50: { name: 'tok/s p50', expr: overRange(0.5, 'output_tokens_per_second'), unit: 'tok/s' },
  chars50: { name: 'char/s p50', expr: overRange(0.5, 'output_chars_per_second'), unit: 'char/s' },
  tpot50: { name: 'TPOT p50', expr: overRange(0.5, 'time_per_output_token_seconds'), unit: 's' },
  fleet: { name: 'fleet tok/s', expr: fleetRate, unit: 'tok/s' },
  cost: { name: 'USD / M output', expr: costPerMillion, unit: 'currencyUSD' },
  errors: {
    name: 'failed',
    expr: ratio(requests(`outcome=~"${failures}|truncated"`), requests()),
    unit: 'percentunit',
  },
  limited: { name: 'rate limited', expr: ratio(requests('outcome="rate_limited"'), requests()), unit: 'percentunit' },
  count: { name: 'requests', expr: `${requests()} > 0`, unit: 'count' },
} as const satisfies Record<string, Column>

const choose =
  'One row a model at a gateway, over the time shown. Choose gateways and models above. Cost is all cost, input too, in US dollars for each million of output tokens; empty where neither the gateway nor the price table tells it. A quantile of few requests says little: look at their number.'
const who = '{{gateway}} / {{model}}'

/** Side by side, for choosing. */
export const compare: DashboardPlan = {
  uid: 'streamgauge-compare',
  title: 'Streamgauge: compare',
  description: 'Models and gateways side by side: how soon, how fast, how dear, how reliable, and who really answered.',
  from: 'now-24h',
  sections: [
    {
      title: 'Over the time shown',
      panels: [
        rows(
          {
            title: 'For interactive use: soonest first token first',
            description: `${choose} Sorted by what the slow twentieth waits; a model without a single first token is not here.`,
            unit: 'short',
            width: 24,
            height: 12,
          },
          [
            columns.ttft50,
            columns.ttft95,
            columns.answer50,
            columns.rate10,
            columns.chars50,
            columns.cost,
            columns.errors,
            columns.limited,
            columns.count,
          ],
          {
            sortBy: { name: columns.ttft95.name, descending: false },
            only: columns.ttft95.name,
            labels: ['gateway', 'model'],
            empty: 'No requests in this time.',
          },
        ),
        rows(
          {
            title: 'For batch: most tokens a second first',
            description: `${choose} Sorted by the rate of all tokens over all generation windows.`,
            unit: 'short',
            width: 24,
            height: 12,
          },
          [
            columns.fleet,
            columns.rate50,
            columns.tpot50,
            columns.chars50,
            columns.cost,
            columns.errors,
            columns.limited,
            columns.count,
          ],
          {
            sortBy: { name: columns.fleet.name, descending: true },
            labels: ['gateway', 'model'],
            empty: 'No requests in this time.',
          },
        ),
      ],
    },
    {
      title: 'Over time',
      panels: [
        lines(
          { title: 'Time to first token, p50', description: 'By model and gateway.', unit: 's', width: 12 },
          [{ legend: who, expr: quantile(0.5, 'time_to_first_token_seconds', byModel) }],
          { worst: 'high' },
        ),
        lines(
          {
            title: 'Characters per second, p50',
            description: 'By model and gateway. Characters, for tokens of two tokenizers are not the same.',
            unit: 'char/s',
            width: 12,
          },
          [{ legend: who, expr: quantile(0.5, 'output_chars_per_second', byModel) }],
          { worst: 'low' },
        ),
        rows(
          {
            title: 'Who really served',
            description:
              'Answers by the model and the provider that the gateway says gave them: fallbacks and routing show here. Empty where it does not say.',
            unit: 'short',
            width: 24,
          },
          [
            {
              name: 'answers',
              expr: `${growth('gateway, model, served_model, provider', series('served_by_total'), whole)} > 0`,
              unit: 'count',
            },
          ],
          {
            sortBy: { name: 'answers', descending: true },
            labels: ['gateway', 'model', 'served_model', 'provider'],
            empty: 'No answers in this time.',
          },
        ),
      ],
    },
  ],
}
