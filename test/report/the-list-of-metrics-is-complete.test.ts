import assert from 'node:assert/strict'
import { test } from 'node:test'
import { histogramNames } from '../../src/config/histogram-names.ts'
import { figures } from '../../src/measurement/figures.ts'
import { generatedFiles } from '../../src/report/generated-files.ts'
import { type MetricSpec, metricSpecs } from '../../src/report/metric-list.ts'
import { readSource } from '../helpers/repository.ts'

const specs = metricSpecs({ inputSize: true })

for (const [path, content] of generatedFiles()) {
  test(`${path} is up to date`, () => {
    assert.equal(readSource(path), content, `${path} is out of date: npm run generate`)
  })
}

/** The contract with dashboards and rules: whoever changes a name or a label breaks them. */
const contract: Readonly<Record<string, string>> = {
  time_to_first_token_seconds: 'histogram gateway model operation app',
  time_to_first_token_by_cache_seconds: 'histogram gateway model cache input_size',
  output_tokens_per_second: 'histogram gateway model operation app',
  time_to_first_answer_seconds: 'histogram gateway model operation',
  time_to_first_byte_seconds: 'histogram gateway model operation',
  time_to_headers_seconds: 'histogram gateway model operation',
  time_per_output_token_seconds: 'histogram gateway model operation',
  output_chars_per_second: 'histogram gateway model operation',
  longest_stall_seconds: 'histogram gateway model operation',
  abandoned_wait_seconds: 'histogram gateway model operation',
  request_duration_seconds: 'histogram gateway model operation streamed result',
  inter_chunk_seconds: 'histogram gateway model',
  output_tokens_per_second_by_concurrency: 'histogram gateway model concurrency',
  connection_wait_seconds: 'histogram gateway',
  proxy_overhead_seconds: 'histogram gateway',
  mark_uncertainty_seconds: 'histogram gateway',
  requests_total: 'counter gateway model operation app streamed outcome',
  streams_started_total: 'counter gateway model operation app',
  tokens_total: 'counter gateway model app type',
  cost_usd_total: 'counter gateway model app',
  decode_tokens_total: 'counter gateway model',
  decode_seconds_total: 'counter gateway model',
  stalls_total: 'counter gateway model',
  stall_seconds_total: 'counter gateway model',
  buffered_streams_total: 'counter gateway model',
  backpressure_seconds_total: 'counter gateway model',
  resends_total: 'counter gateway model',
  cache_hints_total: 'counter gateway model hint cache',
  served_by_total: 'counter gateway model served_model provider',
  unmeasured_total: 'counter figure reason',
  label_overflow_total: 'counter label',
  measurement_errors_total: 'counter stage',
  streams_in_flight: 'gauge gateway model',
  streams_awaiting_first_token: 'gauge gateway model',
  longest_wait_seconds: 'gauge gateway model',
  event_loop_stall_seconds: 'histogram',
  event_loop_stall_max_seconds: 'gauge',
  build_info: 'gauge version',
  definitions_info: 'gauge version',
}

const shapeOf = ({ type, labels, enumerated = [] }: MetricSpec): string =>
  [type, ...labels, ...enumerated.map(({ label }) => label)].join(' ')

test('names, types and labels are those that dashboards and rules use', () => {
  assert.deepEqual(Object.fromEntries(specs.map((spec) => [spec.name, shapeOf(spec)]).sort()), sorted(contract))
})

test('every figure with bounds has its histogram, with its bounds', () => {
  for (const figure of figures) {
    const spec = specs.find(({ name }) => name === figure.name)
    assert.deepEqual(spec?.buckets, figure.buckets, figure.name)
  }
})

test('the configuration names the same histograms', () => {
  const histograms = specs.filter(({ type }) => type === 'histogram').map(({ name }) => name)
  assert.deepEqual([...histogramNames].sort(), histograms.sort())
})

test('no two families bear one name in OpenMetrics', () => {
  const names = specs.map(({ name, type }) => (type === 'counter' ? name.replace(/_total$/, '') : name))
  assert.equal(new Set(names).size, names.length)
  for (const { name, type } of specs) assert.equal(name.endsWith('_total'), type === 'counter', name)
})

function sorted(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).sort())
}
