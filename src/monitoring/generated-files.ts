import { dashboards } from './dashboards/dashboards.ts'
import { kubernetesFiles } from './kubernetes.ts'
import { ruleFile } from './rule.ts'
import { ruleFiles } from './rules.ts'
import { defaultSettings } from './settings.ts'

/** Files made from the code of this room, by their path in the repository. `npm run generate` writes them, a test compares them. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ...[...ruleFiles(defaultSettings)].map(
      ([name, groups]) => [`config/prometheus/rules/${name}`, ruleFile(groups, defaultSettings)] as const,
    ),
    ...[...dashboards(defaultSettings)].map(([name, text]) => [`grafana/dashboards/${name}`, text] as const),
    ...kubernetesFiles(defaultSettings),
  ])
}
