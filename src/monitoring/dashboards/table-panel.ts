import type { Builder } from '@grafana/grafana-foundation-sdk/cog'
import { TableSortByFieldStateBuilder } from '@grafana/grafana-foundation-sdk/common'
import type { DynamicConfigValue, Panel } from '@grafana/grafana-foundation-sdk/dashboard'
import { PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus'
import * as table from '@grafana/grafana-foundation-sdk/table'
import { dataSource, decimalsOf, type PanelText, refId, target, type Unit, unitId } from './panel.ts'

export interface Column {
  readonly name: string
  readonly expr: string
  readonly unit: Unit
  /** A value that says nothing beside its labels. */
  readonly hidden?: boolean
}

export interface TableOptions {
  readonly sortBy?: { readonly name: string; readonly descending: boolean }
  /** Rows without a value in this column are left out: sorted upwards they would come first. */
  readonly only?: string
  readonly empty: string
  /** In this order, before the values. */
  readonly labels: readonly string[]
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
        // Grafana leaves out before it renames: by the names that the fields have of themselves.
        excludeByName: Object.fromEntries(
          ['Time', ...columns.flatMap(({ hidden }, index) => (hidden === true ? [valueName(index)] : []))].map(
            (name) => [name, true],
          ),
        ),
        indexByName: Object.fromEntries(
          [...options.labels, ...columns.map((_, index) => valueName(index))].map((name, index) => [name, index]),
        ),
        renameByName: Object.fromEntries(columns.map(({ name }, index) => [valueName(index), name])),
      },
    })
  if (options.only !== undefined)
    panel.withTransformation({
      id: 'filterByValue',
      options: {
        type: 'include',
        match: 'all',
        filters: [{ fieldName: options.only, config: { id: 'isNotNull', options: {} } }],
      },
    })
  for (const [index, { name, expr, unit }] of columns.entries()) {
    panel.withTarget(target({ expr }, index).instant().format(PromQueryFormat.Table))
    const decimals = decimalsOf(unit)
    const properties: DynamicConfigValue[] = [
      { id: 'unit', value: unitId(unit) },
      ...(decimals === undefined ? [] : [{ id: 'decimals', value: decimals }]),
    ]
    panel.overrideByName(name, properties)
  }
  if (options.sortBy !== undefined)
    panel.sortBy([new TableSortByFieldStateBuilder().displayName(options.sortBy.name).desc(options.sortBy.descending)])
  return panel
}
