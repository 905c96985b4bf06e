import { stringify } from 'yaml'
import { duration } from './duration.ts'
import type { MonitoringSettings, Severity } from './settings.ts'

export interface RecordingRule {
  readonly record: string
  readonly expr: string
}

/** What an alert is about: whom an inhibition silences. */
export type Scope = 'model' | 'gateway' | 'proxy'

export interface Alert {
  readonly name: string
  readonly severity: Severity
  readonly scope: Scope
  /** The same word in every alert of one trouble: its page silences its ticket. */
  readonly about: string
  /** Labels besides, where two alerts would bear the same. */
  readonly labels?: Readonly<Record<string, string>>
  readonly expr: string
  /** Seconds. */
  readonly for: number
  readonly keepFiring?: number
  /** Go templates. */
  readonly summary: string
  readonly description: string
  /** A dashboard's uid. */
  readonly dashboard: string
}

export interface RuleGroup {
  readonly name: string
  /** Why there is such a group: a comment in the file. */
  readonly comment: string
  /** Seconds. */
  readonly interval: number
  readonly records: readonly RecordingRule[]
  readonly alerts: readonly Alert[]
}

/** The section of the runbooks: GitHub makes it of the alert's name as a heading. */
export const runbookAnchor = (name: string): string => name.toLowerCase()

/** Variables of the dashboards, filled with the alert's own labels. */
const dashboardVariables: Readonly<Record<Scope, string>> = {
  model: '?var-gateway={{ $labels.gateway | urlquery }}&var-model={{ $labels.model | urlquery }}',
  gateway: '?var-gateway={{ $labels.gateway | urlquery }}',
  proxy: '',
}

function alertEntry(alert: Alert, { links }: MonitoringSettings): object {
  return {
    alert: alert.name,
    expr: alert.expr,
    for: duration(alert.for),
    ...(alert.keepFiring !== undefined && { keep_firing_for: duration(alert.keepFiring) }),
    labels: { severity: alert.severity, scope: alert.scope, about: alert.about, ...alert.labels },
    annotations: {
      summary: alert.summary,
      description: alert.description,
      runbook_url: `${links.runbooks}#${runbookAnchor(alert.name)}`,
      dashboard_url: `${links.grafana}/d/${alert.dashboard}${dashboardVariables[alert.scope]}`,
    },
  }
}

/** Groups as Prometheus reads them, in a file or in a PrometheusRule. */
export function ruleGroups(groups: readonly RuleGroup[], settings: MonitoringSettings): object[] {
  return groups.map((group) => ({
    name: group.name,
    interval: duration(group.interval),
    rules: [...group.records, ...group.alerts.map((alert) => alertEntry(alert, settings))],
  }))
}

/** The first line of a file that is made from here. */
export const generatedHead = '# Made by `npm run generate` from src/monitoring: change it there.\n'

/** A file of rules for Prometheus. */
export function ruleFile(groups: readonly RuleGroup[], settings: MonitoringSettings): string {
  const comments = groups.map((group) => `# ${group.name}: ${group.comment}\n`).join('')
  return `${generatedHead}${comments}${stringify({ groups: ruleGroups(groups, settings) }, { lineWidth: 0 })}`
}
