import type { Builder } from '@grafana/grafana-foundation-sdk/cog'
import {
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  LegendDisplayMode,
  LegendPlacement,
  LineStyleBuilder,
  ReduceDataOptionsBuilder,
  ScaleDistribution,
  ScaleDistributionConfigBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TableSortByFieldStateBuilder,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common'
import {
  type DynamicConfigValue,
  type Panel,
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard'
import * as heatmap from '@grafana/grafana-foundation-sdk/heatmap'
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus'
import * as stat from '@grafana/grafana-foundation-sdk/stat'
import * as table from '@grafana/grafana-foundation-sdk/table'
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries'

export const dataSource = { type: 'prometheus', uid: '${datasource}' }

/** A unit of Grafana's. */
export type Unit = 's' | 'percentunit' | 'short' | 'reqps' | 'tok/s' | 'char/s' | 'currencyUSD' | 'bytes' | 'none'

/** Grafana has no unit for tokens a second: a suffix. */
const unitId = (unit: Unit): string => (unit === 'tok/s' || unit === 'char/s' ? `suffix: ${unit}` : unit)

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

const refId = (index: number): string => String.fromCharCode(65 + index)

function target(query: Query, index: number): DataqueryBuilder {
  const built = new DataqueryBuilder().datasource(dataSource).refId(refId(index)).expr(query.expr)
  if (query.legend !== undefined) built.legendFormat(query.legend)
  if (query.exemplars === true) built.exemplar(true)
  return built
}

export interface LineOptions {
  readonly stacked?: boolean
  /** Values over decades: small and large ones can both be read. */
  readonly logarithmic?: boolean
  readonly max?: number
}

export function lines(text: PanelText, queries: readonly Query[], options: LineOptions = {}): Builder<Panel> {
  const panel = new timeseries.PanelBuilder()
    .title(text.title)
    .description(text.description)
    .datasource(dataSource)
    .unit(unitId(text.unit))
    .span(text.width)
    .height(text.height ?? 8)
    .min(0)
    .lineWidth(1)
    .fillOpacity(options.stacked === true ? 40 : 0)
    .showPoints(VisibilityMode.Auto)
    .noValue('nothing in this time')
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true)
        .calcs(['lastNotNull']),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
  if (options.max !== undefined) panel.max(options.max)
  if (options.stacked === true) panel.stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'))
  if (options.logarithmic === true)
    panel.scaleDistribution(new ScaleDistributionConfigBuilder().type(ScaleDistribution.Log).log(10))
  for (const [index, query] of queries.entries()) {
    panel.withTarget(target(query, index).range())
    if (query.past === true)
      panel.overrideByQuery(refId(index), [
        { id: 'custom.lineStyle', value: new LineStyleBuilder().fill('dash').dash([6, 6]).build() },
      ])
  }
  return panel
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
    .textMode(queries.length > 1 ? BigValueTextMode.ValueAndName : BigValueTextMode.Value)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']).values(false))
    .thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps))
    .noValue(options.empty ?? 'nothing in this time')
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

export interface Column {
  readonly name: string
  readonly expr: string
  readonly unit: Unit
}

export interface TableOptions {
  readonly sortBy?: { readonly name: string; readonly descending: boolean }
  readonly empty: string
  /** Labels that tell nothing. */
  readonly hide?: readonly string[]
}

/** One row for each set of labels, one column for each query. */
export function rows(text: PanelText, columns: readonly Column[], options: TableOptions): Builder<Panel> {
  const valueName = (index: number): string => (columns.length === 1 ? 'Value' : `Value #${refId(index)}`)
  const panel = new table.PanelBuilder()
    .title(text.title)
    .description(text.description)
    .datasource(dataSource)
    .unit(unitId(text.unit))
    .span(text.width)
    .height(text.height ?? 9)
    .filterable(true)
    .noValue(options.empty)
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({
      id: 'organize',
      options: {
        excludeByName: Object.fromEntries(['Time', ...(options.hide ?? [])].map((name) => [name, true])),
        renameByName: Object.fromEntries(columns.map(({ name }, index) => [valueName(index), name])),
      },
    })
  for (const [index, { name, expr, unit }] of columns.entries()) {
    panel.withTarget(target({ expr }, index).instant().format(PromQueryFormat.Table))
    const properties: DynamicConfigValue[] = [{ id: 'unit', value: unitId(unit) }]
    panel.overrideByName(name, properties)
  }
  if (options.sortBy !== undefined)
    panel.sortBy([new TableSortByFieldStateBuilder().displayName(options.sortBy.name).desc(options.sortBy.descending)])
  return panel
}
