import type { Builder } from '@grafana/grafana-foundation-sdk/cog'
import {
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  LineStyleBuilder,
  ScaleDistribution,
  ScaleDistributionConfigBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common'
import { type Panel, ThresholdsConfigBuilder, ThresholdsMode } from '@grafana/grafana-foundation-sdk/dashboard'
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries'
import { dataSource, type PanelText, type Query, refId, target, unitId } from './panel.ts'

export interface LineOptions {
  readonly stacked?: boolean
  /** Values over decades: small and large ones can both be read. */
  readonly logarithmic?: boolean
  readonly max?: number
  /**
   * One line a model: dozens. They are listed beside the plot, those to look at first on top: a list below it would take half of the panel
   * and show a few names out of the alphabet.
   */
  readonly worst?: 'high' | 'low'
  /** Of that table, px; default: enough for a gateway and a model. */
  readonly legendWidth?: number
  /** A dashed red line: what is allowed. */
  readonly limit?: number
  /** By name of the line. */
  readonly colors?: Readonly<Record<string, string>>
  readonly empty?: string
}

const lastValue = 'lastNotNull'

function legend({ worst, legendWidth = 290 }: LineOptions): VizLegendOptionsBuilder {
  const built = new VizLegendOptionsBuilder().showLegend(true).calcs([lastValue])
  if (worst === undefined) return built.displayMode(LegendDisplayMode.List).placement(LegendPlacement.Bottom)
  return built
    .displayMode(LegendDisplayMode.Table)
    .placement(LegendPlacement.Right)
    .width(legendWidth)
    .sortBy('Last *')
    .sortDesc(worst === 'high')
}

export function lines(text: PanelText, queries: readonly Query[], options: LineOptions = {}): Builder<Panel> {
  const panel = new timeseries.PanelBuilder()
    .title(text.title)
    .description(text.description)
    .datasource(dataSource)
    .unit(unitId(text.unit))
    .span(text.width)
    .height(text.height ?? 8)
    .lineWidth(1)
    .fillOpacity(options.stacked === true ? 40 : 0)
    .showPoints(VisibilityMode.Auto)
    .noValue(options.empty ?? 'nothing in this time')
    .legend(legend(options))
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
  // A logarithmic scale has no zero.
  if (options.logarithmic === true)
    panel.scaleDistribution(new ScaleDistributionConfigBuilder().type(ScaleDistribution.Log).log(10))
  else panel.min(0)
  if (options.max !== undefined) panel.max(options.max)
  if (options.stacked === true) panel.stacking(new StackingConfigBuilder().mode(StackingMode.Normal).group('A'))
  if (options.limit !== undefined)
    panel
      .thresholds(
        new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps([
          { value: null, color: 'transparent' },
          { value: options.limit, color: 'red' },
        ]),
      )
      .thresholdsStyle(new GraphThresholdsStyleConfigBuilder().mode(GraphThresholdsStyleMode.Dashed))
  for (const [index, query] of queries.entries()) {
    panel.withTarget(target(query, index).range())
    if (query.past === true)
      panel.overrideByQuery(refId(index), [
        { id: 'custom.lineStyle', value: new LineStyleBuilder().fill('dash').dash([6, 6]).build() },
      ])
  }
  for (const [name, fixedColor] of Object.entries(options.colors ?? {}))
    panel.overrideByName(name, [{ id: 'color', value: { mode: 'fixed', fixedColor } }])
  return panel
}
