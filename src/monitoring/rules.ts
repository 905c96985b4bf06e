import { shiftGroups } from './distribution-shift.ts'
import { gatewayGroup } from './gateway-alerts.ts'
import { mixGroup } from './mix-alerts.ts'
import { proxyGroup } from './proxy-alerts.ts'
import type { RuleGroup } from './rule.ts'
import { type MonitoringSettings, settingsProblems } from './settings.ts'
import { sloGroup } from './slo-burn.ts'

/** Every group of rules, by the file it goes into. Throws where the settings make no sense, with all that is wrong. */
export function ruleFiles(settings: MonitoringSettings): ReadonlyMap<string, readonly RuleGroup[]> {
  const problems = settingsProblems(settings)
  if (problems.length > 0) throw new Error(`the settings of the rules make no sense:\n${problems.join('\n')}`)
  return new Map([
    ['latency.yml', shiftGroups(settings)],
    ['slo.yml', [sloGroup(settings)]],
    ['gateways.yml', [gatewayGroup(settings), mixGroup(settings)]],
    ['proxy.yml', [proxyGroup(settings)]],
  ])
}
