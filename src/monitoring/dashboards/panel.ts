import type { Builder } from '@grafana/grafana-foundation-sdk/cog'
import {
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  ReduceDataOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common'
import {
  type Panel,
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard'
import * as heatmap from '@grafana/grafana-foundation-sdk/heatmap'
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus'
import * as stat from '@grafana/grafana-foundation-sdk/stat'

export const dataSource = { type: 'prometheus', uid: '${datasource}' }

/** A unit of Grafana's. */
export type Unit =
  | 's'
  | 'percentunit'
  | 'short'
  | 'count'
  | 'reqps'
  | 'tok/s'
  | 'char/s'
  | 'times'
  | 'currencyUSD'
  | 'bytes'

/** Where Grafana has no unit, a suffix. */
const unitIds: Partial<Record<Unit, string>> = {
  'tok/s': 'suffix: tok/s',
  'char/s': 'suffix: char/s',
  times: 'suffix:×',
  // With separators, not in thousands: 1 012 requests are not "1.01 K".
  count: 'locale',
}
export const unitId = (unit: Unit): string => unitIds[unit] ?? unit

/** Growth of a counter is extrapolated to the edges of its window, and comes as 96.8: things are counted in whole numbers. */
export const decimalsOf = (unit: Unit): number | undefined => (unit === 'count' ? 0 : undefined)

export interface Query {
  readonly expr: string
  readonly legend?: string
  /** Dashed: another time, for comparison. */
  readonly past?: boolean
  readonly exemplars?: boolean
}

export interface PanelText {
  readonly title: string
  readonly description: string
  readonly unit: Unit
  /** Of 24. */
  readonly width: number
  readonly height?: number
}

export const refId = (index: number): string => String.fromCharCode(65 + index)

export function target(query: Query, index: number): DataqueryBuilder {
  const built = new DataqueryBuilder().datasource(dataSource).refId(refId(index)).expr(query.expr)
  if (query.legend !== undefined) built.legendFormat(query.legend)
  if (query.exemplars === true) built.exemplar(true)
  return built
}

export interface StatOptions {
  /** Value from which on it is orange, and red. */
  readonly limits?: readonly [number, number]
  /** Step in Grafana's notation: `$__rate_interval` is no shorter. */
  readonly over?: string
  readonly empty?: string
}

export function numbers(text: PanelText, queries: readonly Query[], options: StatOptions = {}): Builder<Panel> {
  const steps: Threshold[] = [{ value: null, color: options.limits === undefined ? 'text' : 'green' }]
  if (options.limits !== undefined)
    steps.push({ value: options.limits[0], color: 'orange' }, { value: options.limits[1], color: 'red' })
  const panel = new stat.PanelBuilder()
    .title(text.title)
    .description(text.description)
    .datasource(dataSource)
    .unit(unitId(text.unit))
    .span(text.width)
    .height(text.height ?? 5)
    .colorMode(BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.None)
    .textMode(
      queries.some(({ legend }) => legend !== undefined) ? BigValueTextMode.ValueAndName : BigValueTextMode.Value,
    )
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false))
    .thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps))
    .noValue(options.empty ?? 'nothing in this time')
  const decimals = decimalsOf(text.unit)
  if (decimals !== undefined) panel.decimals(decimals)
  if (options.over !== undefined) panel.interval(options.over)
  for (const [index, query] of queries.entries()) panel.withTarget(target(query, index).instant())
  return panel
}

export function heat(text: PanelText, expr: string): Builder<Panel> {
  return new heatmap.PanelBuilder()
    .title(text.title)
    .description(text.description)
    .datasource(dataSource)
    .span(text.width)
    .height(text.height ?? 8)
    .calculate(false)
    .yAxis(new heatmap.YAxisConfigBuilder().unit(unitId(text.unit)))
    .color(new heatmap.HeatmapColorOptionsBuilder().mode(heatmap.HeatmapColorMode.Scheme).scheme('Oranges').steps(64))
    .noValue('nothing in this time')
    .withTarget(target({ expr, legend: '{{le}}', exemplars: true }, 0).range().format(PromQueryFormat.Heatmap))
}
