import { stringify } from 'yaml'
import { dashboards } from './dashboards/dashboards.ts'
import { generatedHead, ruleGroups } from './rule.ts'
import { ruleFiles } from './rules.ts'
import type { MonitoringSettings } from './settings.ts'

const folder = 'deploy/kubernetes/components/monitoring'

/** The same rules and dashboards for Kubernetes, by their path in the repository: a kustomization cannot read files outside its own folder. */
export function kubernetesFiles(settings: MonitoringSettings): ReadonlyMap<string, string> {
  return new Map([
    [`${folder}/prometheus-rule.yaml`, generatedHead + prometheusRule(settings)],
    ...[...dashboards(settings)].map(([name, text]) => [`${folder}/dashboards/${name}`, text] as const),
  ])
}

function prometheusRule(settings: MonitoringSettings): string {
  const groups = [...ruleFiles(settings).values()].flat()
  return stringify(
    {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: {
        name: 'streamgauge',
        labels: { 'app.kubernetes.io/name': 'streamgauge', 'app.kubernetes.io/component': 'monitoring' },
      },
      spec: { groups: ruleGroups(groups, settings) },
    },
    { lineWidth: 0 },
  )
}
