import { definitionsVersion, figures } from '../measurement/figures.ts'
import { outcomes } from '../measurement/outcomes.ts'
import { reasons } from '../measurement/reasons.ts'
import { type CacheState, measurementStages } from '../measurement/stream-measurement.ts'

export const prefix = 'streamgauge_'

/** A metric, declared once: families, exposition and docs are made from this list. */
export interface MetricSpec {
  /** Without prefix. */
  readonly name: string
  readonly type: 'histogram' | 'counter' | 'gauge'
  readonly help: string
  readonly labels: readonly string[]
  /** Labels, after the others, whose values are all known: a child of a counter holds one number for each combination. */
  readonly enumerated?: readonly { readonly label: string; readonly values: readonly string[] }[]
  readonly buckets?: readonly number[]
  /** Name of the figure whose values it holds. */
  readonly figure?: string
}

export const cacheStates: readonly CacheState[] = ['hit', 'miss', 'response', 'unknown']
export const inputSizes = ['0-1k', '1k-4k', '4k-16k', '16k-64k', '64k+'] as const
export const concurrencyClasses = ['1', '2-3', '4-7', '8-15', '16-31', '32+'] as const
export const tokenTypes = ['input', 'cached_input', 'cache_write_input', 'output', 'reasoning'] as const
export const hints = ['cache_control', 'prompt_cache_key'] as const
export const overflowLabels = ['model', 'app', 'served_model', 'provider', 'set'] as const
export type OverflowLabel = (typeof overflowLabels)[number]

const set = ['gateway', 'model', 'operation', 'app'] as const
const operation = ['gateway', 'model', 'operation'] as const
const model = ['gateway', 'model'] as const

/** Labels of a figure's histogram where they are not gateway, model and operation. */
const figureLabels: Readonly<Record<string, readonly string[]>> = {
  time_to_first_token_seconds: set,
  output_tokens_per_second: set,
  request_duration_seconds: [...operation, 'streamed', 'result'],
  inter_chunk_seconds: model,
  connection_wait_seconds: ['gateway'],
  proxy_overhead_seconds: ['gateway'],
  mark_uncertainty_seconds: ['gateway'],
}

function figureHistograms(): MetricSpec[] {
  return figures.flatMap((figure): MetricSpec[] =>
    figure.buckets === undefined
      ? []
      : [
          {
            name: figure.name,
            type: 'histogram',
            help: figure.help,
            labels: figureLabels[figure.name] ?? operation,
            buckets: figure.buckets,
            figure: figure.name,
          },
        ],
  )
}

/** A second histogram of a figure, by another label. */
function figureBy(name: string, figureName: string, by: string, labels: readonly string[]): MetricSpec {
  const figure = figures.find((candidate) => candidate.name === figureName)
  if (figure?.buckets === undefined) throw new Error(`there is no histogram of ${figureName}`)
  return {
    name,
    type: 'histogram',
    help: `${figure.title}, by ${by}.`,
    labels,
    buckets: figure.buckets,
    figure: figureName,
  }
}

const counter = (
  name: string,
  help: string,
  labels: readonly string[],
  enumerated?: MetricSpec['enumerated'],
): MetricSpec => ({ name, type: 'counter', help, labels, ...(enumerated && { enumerated }) })

const gauge = (name: string, help: string, labels: readonly string[]): MetricSpec => ({
  name,
  type: 'gauge',
  help,
  labels,
})

/** Seconds for which the event loop was held. */
const stallBuckets: readonly number[] = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]

/** Every metric of ours. `inputSize` adds the label `input_size` to the TTFT by cache state. */
export function metricSpecs(options: { readonly inputSize: boolean }): MetricSpec[] {
  return [
    ...figureHistograms(),
    figureBy(
      'time_to_first_token_by_cache_seconds',
      'time_to_first_token_seconds',
      'what the gateway said about its prompt cache, recorded at the end',
      [...model, 'cache', ...(options.inputSize ? ['input_size'] : [])],
    ),
    figureBy(
      'output_tokens_per_second_by_concurrency',
      'output_tokens_per_second',
      'the number of streams in flight to the model when the stream began',
      [...model, 'concurrency'],
    ),
    counter(
      'requests_total',
      'Requests that ended, by outcome. Passed-through ones have no model and the operation passthrough.',
      [...set, 'streamed'],
      [{ label: 'outcome', values: outcomes }],
    ),
    counter('streams_started_total', 'Generations sent to the gateway that asked for a stream.', set),
    counter(
      'tokens_total',
      'Tokens by the usage that gateways report. Cached input is part of input, reasoning part of output.',
      [...model, 'app'],
      [{ label: 'type', values: tokenTypes }],
    ),
    counter('cost_usd_total', 'Cost in US dollars: as the gateway reports it, else by the price table.', [
      ...model,
      'app',
    ]),
    counter(
      'decode_tokens_total',
      'Tokens that came after the first chunk with output, of exactly the exchanges with a time per output token.',
      model,
    ),
    counter('decode_seconds_total', 'Generation windows of the same exchanges, in seconds.', model),
    counter('stalls_total', 'Gaps between chunks of over one second.', model),
    counter('stall_seconds_total', 'Seconds of those gaps, each with its whole length.', model),
    counter('buffered_streams_total', 'Streams that an intermediary held back and sent in a burst.', model),
    counter(
      'backpressure_seconds_total',
      'Seconds for which the gateway was paused because the client did not read.',
      model,
    ),
    counter('resends_total', 'Requests sent again because a kept connection had gone stale.', model),
    counter(
      'cache_hints_total',
      'Answered requests that hinted at a prompt cache, by what the gateway said of it.',
      model,
      [
        { label: 'hint', values: hints },
        { label: 'cache', values: cacheStates },
      ],
    ),
    counter('served_by_total', 'Answers by the model and the provider that gave them.', [
      ...model,
      'served_model',
      'provider',
    ]),
    counter(
      'unmeasured_total',
      'Figures of generations that are missing, by the reason.',
      [],
      [
        { label: 'figure', values: figures.map((figure) => figure.name) },
        { label: 'reason', values: reasons },
      ],
    ),
    counter(
      'label_overflow_total',
      'Requests with a label beyond its bound, which became other.',
      [],
      [{ label: 'label', values: overflowLabels }],
    ),
    counter(
      'measurement_errors_total',
      'Faults in what was measured, or in measuring it. Answers pass untouched.',
      [],
      [{ label: 'stage', values: measurementStages }],
    ),
    gauge('streams_in_flight', 'Streams that were asked for and have not ended.', model),
    gauge('streams_awaiting_first_token', 'Streams in flight without a first token.', model),
    gauge('longest_wait_seconds', 'How long the stream that waits longest for its first token has waited.', model),
    {
      name: 'event_loop_stall_seconds',
      type: 'histogram',
      help: 'Times for which the event loop was held for over 10 ms. Marks may be late by as much.',
      labels: [],
      buckets: stallBuckets,
    },
    gauge('event_loop_stall_max_seconds', 'The longest event-loop stall of the last 60 seconds.', []),
    gauge('build_info', 'Constant 1; the version of the program.', ['version']),
    gauge('definitions_info', 'Constant 1; the version of the definitions of the figures.', ['version']),
  ]
}

export { definitionsVersion }
