import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { parse } from 'yaml'
import { readSource, repository } from './repository.ts'

/** What an expression is made of. */
export interface Expression {
  /** Text at which the grammar broke; empty if it did not. */
  readonly errors: readonly string[]
  readonly metrics: readonly string[]
  /** Labels in matchers and in by, on, ignoring and group clauses. */
  readonly labels: readonly string[]
  /** Ranges, `5m`, as they stand. */
  readonly ranges: readonly string[]
}

export function readExpression(text: string): Expression {
  const errors: string[] = []
  const metrics: string[] = []
  const labels: string[] = []
  const ranges: string[] = []
  const cursor = parser.parse(text).cursor()
  do {
    const { name, from, to } = cursor
    const part = text.slice(from, to)
    if (cursor.type.isError) errors.push(`at ${from}: ${text.slice(from, from + 20)}`)
    else if (name === 'Identifier') metrics.push(part)
    else if (name === 'LabelName') labels.push(part)
    else if (name === 'MatrixSelector') ranges.push(/\[([^\]]*)\]$/.exec(part)?.[1] ?? '')
  } while (cursor.next())
  return { errors, metrics, labels, ranges }
}

export interface PanelQuery {
  readonly dashboard: string
  readonly panel: string
  readonly type: string
  readonly unit: string | undefined
  /** What the panel says when there is nothing. */
  readonly noValue: string | undefined
  readonly description: string
  /** The shortest `$__rate_interval`, by the panel's step. */
  readonly interval: string | undefined
  readonly instant: boolean
  readonly expr: string
  readonly legend: string | undefined
}

export interface PanelModel {
  readonly type: string
  readonly title?: string
  readonly description?: string
  readonly interval?: string
  readonly datasource?: { readonly uid: string }
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit?: string
      readonly noValue?: string
      readonly min?: number
      readonly decimals?: number
      readonly custom?: { readonly scaleDistribution?: { readonly type: string } }
    }
  }
  readonly transformations?: readonly {
    readonly id: string
    readonly options: { readonly [setting: string]: Readonly<Record<string, unknown>> }
  }[]
  readonly targets?: readonly {
    readonly expr: string
    readonly instant?: boolean
    readonly legendFormat?: string
    readonly datasource?: { readonly uid: string }
  }[]
  readonly options?: {
    readonly yAxis?: { readonly unit?: string }
    readonly textMode?: string
    readonly sortBy?: readonly { readonly displayName: string; readonly desc: boolean }[]
    readonly legend?: { readonly displayMode?: string; readonly placement?: string; readonly sortBy?: string }
  }
}

export interface DashboardModel {
  readonly uid: string
  readonly title: string
  readonly panels: readonly PanelModel[]
  readonly links: readonly { readonly url?: string; readonly type: string }[]
  readonly templating: { readonly list: readonly Record<string, unknown>[] }
}

const folder = 'grafana/dashboards'

/** The committed dashboards. */
export const dashboards: readonly DashboardModel[] = readdirSync(join(repository, folder))
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readSource(`${folder}/${name}`)) as DashboardModel)

export const panelsOf = (dashboard: DashboardModel): readonly PanelModel[] =>
  dashboard.panels.filter(({ type }) => type !== 'row')

export const panelQueries: readonly PanelQuery[] = dashboards.flatMap((dashboard) =>
  panelsOf(dashboard).flatMap((panel) =>
    (panel.targets ?? []).map(
      (target): PanelQuery => ({
        dashboard: dashboard.uid,
        panel: panel.title as string,
        type: panel.type,
        unit: panel.fieldConfig?.defaults.unit ?? panel.options?.yAxis?.unit,
        noValue: panel.fieldConfig?.defaults.noValue,
        description: panel.description ?? '',
        interval: panel.interval,
        instant: target.instant === true,
        expr: target.expr,
        legend: target.legendFormat,
      }),
    ),
  ),
)

export interface RuleQuery {
  readonly name: string
  readonly record: boolean
  readonly expr: string
}

const rulesFolder = 'config/prometheus/rules'
export const ruleQueries: readonly RuleQuery[] = readdirSync(join(repository, rulesFolder)).flatMap((name) =>
  (
    parse(readSource(`${rulesFolder}/${name}`)) as {
      groups: { rules: { record?: string; alert?: string; expr: string }[] }[]
    }
  ).groups.flatMap(({ rules }) =>
    rules.map(({ record, alert, expr }) => ({ name: (record ?? alert) as string, record: record !== undefined, expr })),
  ),
)

/** What Grafana makes of a name in a variable of several values, inside a string of PromQL. */
export const escaped = (value: string): string =>
  value.replace(/[\\^$.*+?()[\]{}|]/g, (character) => `\\\\${character}`)

export interface Chosen {
  readonly gateway?: readonly string[]
  readonly model?: readonly string[]
  readonly operation?: readonly string[]
  readonly app?: readonly string[]
  readonly rateInterval: string
  readonly range: string
}

/** An expression as Grafana sends it. Without values a variable is at All. */
export function interpolate(expr: string, chosen: Chosen): string {
  return expr
    .replaceAll('$__rate_interval', chosen.rateInterval)
    .replaceAll('$__range', chosen.range)
    .replace(/\$(gateway|model|operation|app)\b/g, (_, name: 'gateway' | 'model' | 'operation' | 'app') => {
      const values = chosen[name]
      if (values === undefined) return '.*'
      return values.length === 1 ? escaped(values[0] as string) : `(${values.map(escaped).join('|')})`
    })
}
