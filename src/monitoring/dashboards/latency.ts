import type { DashboardPlan } from './dashboard.ts'
import { perModel } from './figure-panel.ts'
import { generation } from './generation.ts'
import { lines } from './line-panel.ts'
import { heat } from './panel.ts'
import { definition, growth, quantile, series } from './queries.ts'

const who = '{{gateway}} / {{model}}'
const byModel = 'gateway, model'
const ttft = 'time_to_first_token_seconds'
const byCache = 'time_to_first_token_by_cache_seconds'

const ladder = [
  ['headers', 'time_to_headers_seconds'],
  ['first byte', 'time_to_first_byte_seconds'],
  ['first token', ttft],
  ['first answer', 'time_to_first_answer_seconds'],
] as const

export const latency: DashboardPlan = {
  uid: 'streamgauge-latency',
  title: 'Streamgauge: latency and generation',
  description: 'Where the time before the first token goes, and how fast the rest follows.',
  from: 'now-6h',
  sections: [
    {
      title: 'Until the first token',
      panels: [
        ...[0.5, 0.95].map((q) =>
          lines(
            {
              title: `The ladder, p${q * 100}`,
              description: `Each step from t0, the hand-over to the HTTP client. ${ladder.map(([, figure]) => definition(figure)).join(' ')} Whole answers have headers and a first byte, and no first token. Dashed: the first token seven days earlier.`,
              unit: 's',
              width: 12,
            },
            [
              ...ladder.map(([legend, figure]) => ({ legend, expr: quantile(q, figure, '') })),
              { legend: 'first token, last week', expr: quantile(q, ttft, '', { ago: '7d' }), past: true },
            ],
          ),
        ),
        perModel('Time to first token, p50, by model', ttft, 0.5, 's'),
        perModel('Time to first token, p95, by model', ttft, 0.95, 's', 'A value of 600 s means that or more.'),
        lines(
          {
            title: 'Time to first token, p50, in times of last week',
            description:
              'The median now, divided by that of the same model seven days earlier: 1 is as it was, 2 is twice as long.',
            unit: 'times',
            width: 12,
          },
          [
            {
              legend: who,
              expr: `(${quantile(0.5, ttft, byModel)}) / (${quantile(0.5, ttft, byModel, { ago: '7d' })})`,
            },
          ],
          { worst: 'high', empty: 'no model with streams both now and a week ago' },
        ),
        heat(
          {
            title: 'Time to first token, all streams',
            description: `${definition(ttft)} One row a bucket: two humps are two kinds of streams, which no quantile shows. Dots are exemplars: their id is the log's trace_id, or id.`,
            unit: 's',
            width: 12,
          },
          growth('le', series(`${ttft}_bucket`)),
        ),
        lines(
          {
            title: 'Time to first token by cache state, p50',
            description:
              'hit: cached tokens were reported; miss: none; response: the gateway answered from a cache of whole answers; unknown: it does not say. Hits against misses is what cache hints buy.',
            unit: 's',
            width: 6,
          },
          [{ legend: '{{cache}}', expr: quantile(0.5, byCache, 'cache') }],
        ),
        lines(
          {
            title: 'Time to first token by input size, p50',
            description: 'Prompt tokens in thousands. Empty unless labels.inputSize is on.',
            unit: 's',
            width: 6,
          },
          [{ legend: '{{input_size}}', expr: quantile(0.5, byCache, 'input_size', {}, 'input_size!=""') }],
          { empty: 'labels.inputSize is off, or nothing came' },
        ),
        lines(
          {
            title: 'Connection wait, p95',
            description: `${definition('connection_wait_seconds')} It is part of every time above.`,
            unit: 's',
            width: 6,
          },
          [{ legend: '{{gateway}}', expr: quantile(0.95, 'connection_wait_seconds', 'gateway') }],
        ),
        lines(
          {
            title: 'Duration, p50 and p95',
            description: `${definition('request_duration_seconds')} Streams and whole answers apart.`,
            unit: 's',
            width: 6,
          },
          [0.5, 0.95].flatMap((q) =>
            [
              ['streams', 'streamed="true"'],
              ['whole answers', 'streamed="false"'],
            ].map(([kind = '', matcher = '']) => ({
              legend: `${kind}, p${q * 100}`,
              expr: quantile(q, 'request_duration_seconds', '', {}, 'operation!="passthrough"', matcher),
            })),
          ),
        ),
      ],
    },
    generation,
  ],
}
