import type { Section } from './dashboard.ts'
import { perModel } from './figure-panel.ts'
import { lines } from './line-panel.ts'
import { heat } from './panel.ts'
import { definition, growth, quantile, rate, ratio, series } from './queries.ts'

const who = '{{gateway}} / {{model}}'
const byModel = 'gateway, model'

/** How fast the rest follows. */
export const generation: Section = {
  title: 'Generation',
  panels: [
    perModel('Tokens per second, p50, by model', 'output_tokens_per_second', 0.5, 'tok/s'),
    perModel('Tokens per second, p10, by model', 'output_tokens_per_second', 0.1, 'tok/s', 'What the slow tenth sees.'),
    lines(
      {
        title: 'Fleet rate by model',
        description:
          'All tokens divided by all generation windows: the rate at which tokens came. The mean of single rates is not.',
        unit: 'tok/s',
        width: 12,
      },
      [
        {
          legend: who,
          expr: ratio(rate(byModel, series('decode_tokens_total')), rate(byModel, series('decode_seconds_total'))),
        },
      ],
      { worst: 'low' },
    ),
    perModel('Characters per second, p50', 'output_chars_per_second', 0.5, 'char/s', 'Comparable between tokenizers.'),
    perModel('Time per output token, p50', 'time_per_output_token_seconds', 0.5, 's'),
    heat(
      {
        title: 'Tokens per second, all streams',
        description: definition('output_tokens_per_second'),
        unit: 'tok/s',
        width: 12,
      },
      growth('le', series('output_tokens_per_second_bucket')),
    ),
    lines(
      {
        title: 'Tokens per second by concurrency, p50',
        description:
          'By the number of streams in flight to the same model when the stream began: does the gateway slow down with load?',
        unit: 'tok/s',
        width: 6,
      },
      [
        {
          legend: '{{concurrency}} in flight',
          expr: quantile(0.5, 'output_tokens_per_second_by_concurrency', 'concurrency'),
        },
      ],
    ),
    lines(
      { title: 'Between chunks, p50 and p99', description: definition('inter_chunk_seconds'), unit: 's', width: 6 },
      [0.5, 0.99].map((q) => ({ legend: `p${q * 100}`, expr: quantile(q, 'inter_chunk_seconds', '') })),
      { logarithmic: true },
    ),
    lines(
      { title: 'Longest stall, p95', description: definition('longest_stall_seconds'), unit: 's', width: 12 },
      [{ legend: who, expr: quantile(0.95, 'longest_stall_seconds', byModel) }],
      { worst: 'high' },
    ),
    lines(
      {
        title: 'Stalls a stream',
        description:
          'A stall is a gap between chunks of over one second. Their number, divided by that of started streams.',
        unit: 'short',
        width: 12,
      },
      [
        {
          legend: who,
          expr: ratio(rate(byModel, series('stalls_total')), rate(byModel, series('streams_started_total'))),
        },
      ],
      { worst: 'high' },
    ),
    lines(
      {
        title: 'Mean length of a stall',
        description: 'Seconds of all stalls divided by their number.',
        unit: 's',
        width: 12,
      },
      [
        {
          legend: who,
          expr: ratio(rate(byModel, series('stall_seconds_total')), rate(byModel, series('stalls_total'))),
        },
      ],
      { worst: 'high', empty: 'no stalls' },
    ),
    lines(
      {
        title: 'Buffered streams',
        description: 'Share of the streams that an intermediary held back and sent in a burst. They have no rate.',
        unit: 'percentunit',
        width: 12,
      },
      [
        {
          legend: who,
          expr: ratio(rate(byModel, series('buffered_streams_total')), rate(byModel, series('streams_started_total'))),
        },
      ],
      { max: 1, worst: 'high' },
    ),
    lines(
      {
        title: 'Paused for slow clients',
        description:
          'Seconds a second for which gateways were paused because clients did not read. Such streams have no rate: it would be the client that is measured.',
        unit: 'short',
        width: 12,
      },
      [{ legend: who, expr: rate(byModel, series('backpressure_seconds_total')) }],
      { worst: 'high' },
    ),
  ],
}
