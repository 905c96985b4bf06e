import type { Builder } from '@grafana/grafana-foundation-sdk/cog'
import {
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  type Panel,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { prefix } from '../promql.ts'
import type { MonitoringSettings } from '../settings.ts'
import { dataSource } from './panel.ts'

export interface Section {
  readonly title: string
  readonly panels: readonly Builder<Panel>[]
}

export interface DashboardPlan {
  readonly uid: string
  readonly title: string
  readonly description: string
  readonly from: string
  readonly sections: readonly Section[]
}

/** From series that exist from the start, so that a list is never empty for want of traffic of one kind. */
const source = `${prefix}requests_total`

function variable(name: string, label: string, above: readonly string[]): QueryVariableBuilder {
  const matchers = above.map((other) => `${other}=~"$${other}"`).join(', ')
  return (
    new QueryVariableBuilder(name)
      .label(label)
      .datasource(dataSource)
      .query({
        query: `label_values(${source}${matchers === '' ? '' : `{${matchers}}`}, ${name})`,
        refId: `variable-${name}`,
      })
      .multi(true)
      .includeAll(true)
      // Also what has no such label: an app that gave no name.
      .allValue('.*')
      .current({ text: ['All'], value: ['$__all'], selected: true })
      .refresh(VariableRefresh.OnTimeRangeChanged)
      .sort(VariableSort.AlphabeticalAsc)
  )
}

/** A dashboard in the classic format, which Grafana 10 to 13 import. */
export function dashboard(plan: DashboardPlan, { links }: MonitoringSettings): string {
  const built = new DashboardBuilder(plan.title)
    .uid(plan.uid)
    .description(plan.description)
    .tags(['streamgauge'])
    .timezone('browser')
    .tooltip(DashboardCursorSync.Crosshair)
    .refresh('30s')
    .time({ from: plan.from, to: 'now' })
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'))
    .withVariable(variable('gateway', 'Gateway', []))
    .withVariable(variable('model', 'Model', ['gateway']))
    .withVariable(variable('operation', 'Operation', ['gateway']))
    .withVariable(variable('app', 'App', ['gateway']))
    .link(
      new DashboardLinkBuilder('Streamgauge')
        .type(DashboardLinkType.Dashboards)
        .tags(['streamgauge'])
        .includeVars(true)
        .keepTime(true),
    )
    .link(new DashboardLinkBuilder('Runbooks').type(DashboardLinkType.Link).url(links.runbooks).targetBlank(true))
  for (const section of plan.sections) {
    built.withRow(new RowBuilder(section.title))
    for (const panel of section.panels) built.withPanel(panel)
  }
  return `${JSON.stringify(built.build(), null, 2)}\n`
}
