import { figures } from '../measurement/figures.ts'
import { type MetricSpec, metricSpecs, prefix } from './metric-list.ts'

/** docs/metrics.md, made from the list of metrics. */
export function metricsPage(): string {
  const specs = metricSpecs({ inputSize: true })
  const of = (type: MetricSpec['type']) => specs.filter((spec) => spec.type === type)
  return `# Metrics

<!-- Made by \`npm run generate\` from src/report: change it there. -->

\`/metrics\` on the second listener (\`http://127.0.0.1:9484/metrics\`) serves these, in Prometheus' text format 0.0.4 or as OpenMetrics 1.0.0,
by the \`Accept\` header. What each figure means: [measuring](measuring.md). In OpenMetrics a counter's family bears no \`_total\`, its
samples do. \`metrics.defaultMetrics\` adds those of Node (\`process_…\`, \`nodejs_…\`).

All names begin with \`${prefix}\`. Everything adds up over replicas: sum before taking a rate's quotient or a quantile.

## Histograms

${table(
  ['metric', 'labels', 'holds', 'bounds'],
  of('histogram').map((spec) => [`\`${spec.name}\``, labelsOf(spec), holds(spec), `${spec.buckets?.length}`]),
)}

\`inter_chunk_seconds\` has one sample for each gap, all others one for each exchange (\`event_loop_stall_seconds\`: for each stall). The time to
the first token is recorded when it comes, everything else when the exchange ends. The label \`input_size\` is there where \`labels.inputSize\`
is on.

### Bounds

A label set of a histogram costs as many series as it has bounds, and three more. Thresholds in \`metrics.slo.ttft\` are added to the
bounds of the time to the first token and of the abandoned wait, so that an alert can count exactly what was slower.
\`metrics.buckets\` replaces a histogram's bounds. Bounds are written as Go writes them (\`1.0\`, \`5e-05\`): Prometheus 3 would rewrite
them so when it scrapes, and Prometheus 2 stores what it gets. One rule then works with both.

${table(['metrics', 'bounds'], boundRows(of('histogram')))}

## Counters

${table(
  ['metric', 'labels', 'counts'],
  of('counter').map((spec) => [`\`${spec.name}\``, labelsOf(spec), spec.help]),
)}

At the start of the first request of a label set its counters are there at 0, one for every outcome, so that \`increase()\` sees the first
error. \`unmeasured_total\` has every pair of figure and reason from the start.

Divide counters, not averages: \`sum(rate(${prefix}decode_tokens_total[5m])) / sum(rate(${prefix}decode_seconds_total[5m]))\` is the rate at
which tokens came; the mean of \`output_tokens_per_second\` is not.

## Gauges

${table(
  ['metric', 'labels', 'is'],
  of('gauge').map((spec) => [`\`${spec.name}\``, labelsOf(spec), spec.help]),
)}

They are read at the scrape. A label set once seen stays, at 0.

## Labels and their bounds

| label | values |
| --- | --- |
| \`gateway\` | the configured names; empty where a request was refused before its gateway was known |
| \`model\` | as requested, after \`labels.models.rename\`; empty for what is passed through |
| \`operation\` | \`chat\`, \`completions\`, \`responses\`, \`messages\`, \`ollama_chat\`, \`ollama_generate\`, \`passthrough\` |
| \`app\` | from \`/@APP\` in the path or \`x-streamgauge-app\`; empty where none was given |
| \`streamed\` | \`true\`, \`false\`: what came was a stream of events; without an answer: a stream was asked |
| \`result\` | \`ok\`, \`other\` |
${enumeratedRows(of('counter'))}
| \`concurrency\` | streams in flight to the model when the stream began, itself among them: \`1\`, \`2-3\`, \`4-7\`, \`8-15\`, \`16-31\`, \`32+\` |
| \`input_size\` | prompt tokens, in thousands: \`0-1k\`, \`1k-4k\`, \`4k-16k\`, \`16k-64k\`, \`64k+\`; empty where they were not reported |
| \`served_model\`, \`provider\` | as the gateway says; empty where it does not |

A label that does not apply is empty. Values are cut at 64 characters; control characters are replaced. At most \`labels.maxModels\` models and
\`labels.maxApps\` apps have a value of their own, and \`labels.maxSets\` sets of gateway, model, operation and app; the rest is \`other\`. Each request
with such a label counts in \`label_overflow_total\` (\`set\`: there was no room for the set, and model and app became \`other\` together).
\`served_model\` and \`provider\` are bounded by \`labels.maxModels\` each, and their sets by \`labels.maxSets\`. Sums stay exact. A model that
is missing in a non-empty \`labels.models.allow\` is \`other\`, too, and no overflow.
`
}

function labelsOf(spec: MetricSpec): string {
  return [...spec.labels, ...(spec.enumerated ?? []).map(({ label }) => label)]
    .map((label) => `\`${label}\``)
    .join(', ')
}

function holds(spec: MetricSpec): string {
  const figure = figures.find(({ name }) => name === spec.name)
  return figure === undefined ? spec.help : `${spec.help} \`${figure.formula}\``
}

function boundRows(specs: readonly MetricSpec[]): string[][] {
  const byBounds = new Map<string, string[]>()
  for (const { name, buckets } of specs) {
    const bounds = (buckets ?? []).join(' ')
    byBounds.set(bounds, [...(byBounds.get(bounds) ?? []), `\`${name}\``])
  }
  return [...byBounds].map(([bounds, names]) => [names.join(', '), bounds])
}

function enumeratedRows(specs: readonly MetricSpec[]): string {
  const rows = new Map<string, string>()
  for (const { label, values } of specs.flatMap((spec) => spec.enumerated ?? [])) {
    rows.set(`\`${label}\``, values.map((value) => `\`${value}\``).join(', '))
  }
  return [...rows].map(([label, values]) => `| ${label} | ${values} |`).join('\n')
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n')
}
