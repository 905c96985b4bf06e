import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { latencyBuckets } from '../../src/measurement/buckets.ts'
import { outcomes } from '../../src/measurement/outcomes.ts'
import { hour, minute } from '../../src/monitoring/duration.ts'
import { ruleFile } from '../../src/monitoring/rule.ts'
import { ruleFiles } from '../../src/monitoring/rules.ts'
import { defaultSettings, type MonitoringSettings } from '../../src/monitoring/settings.ts'
import { type Firing, firingAlerts, type Series } from '../helpers/promtool.ts'
import { counterOf, gaugeOf, histogramOf, logNormal } from '../helpers/synthetic-traffic.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { requireTool } from '../helpers/tools.ts'

/** The rules as they are, but that a day is two hours and a week is four: then it takes seconds. */
const settings: MonitoringSettings = {
  ...defaultSettings,
  interval: 2 * minute,
  baselines: [2 * hour, 4 * hour],
  shift: defaultSettings.shift.filter(({ severity }) => severity === 'page'),
}
/** Twice as slow, and a fourth fails, from here on. */
const change = 5 * hour
const frame = { interval: 2 * minute, to: 6.5 * hour, seed: 5 }
const times = [change - 30 * minute, change + 90 * minute]
const perSecond = 1

/** All the traffic of a model, shared by so many replicas. One of them starts anew now and then. */
function traffic(model: string, replicas: number): Series[] {
  return Array.from({ length: replicas }, (_, at) => {
    const labels = {
      job: 'streamgauge',
      instance: `replica-${at}:9484`,
      gateway: 'main',
      model,
      operation: 'chat',
      app: '',
    }
    const restarts = at === 0 ? [1.2, 2.5, 4.3, 5.6].map((time) => time * hour) : []
    const rate = perSecond / replicas
    return [
      ...histogramOf(
        'time_to_first_token_seconds',
        latencyBuckets,
        { labels, rate: () => rate, sample: logNormal((time) => (time >= change ? 1.2 : 0.6)), restarts },
        { ...frame, seed: frame.seed + at },
      ),
      ...outcomes.map((outcome) =>
        counterOf(
          'requests_total',
          { ...labels, streamed: 'true', outcome },
          (time) => {
            const failed = time >= change ? 0.25 : 0
            return rate * (outcome === 'ok' ? 1 - failed : outcome === 'http_5xx' ? failed : 0)
          },
          { ...frame, restarts },
        ),
      ),
      counterOf('streams_started_total', labels, () => rate, { ...frame, restarts }),
      gaugeOf('up', { job: 'streamgauge', instance: labels.instance, of: model }, () => 1, frame),
    ]
  }).flat()
}

const alerts = ['TtftRegression', 'ErrorShare', 'ReplicaDown', 'ProxyDown'].map((name) => `Streamgauge${name}`)

const shown = (found: readonly Firing[], model: string): string[] =>
  found
    .filter(({ labels }) => labels['model'] === model)
    .map(
      ({ time, labels }) =>
        `${(time - change) / minute} min ${labels['alertname']?.replace('Streamgauge', '')} ${labels['severity']}`,
    )
    .sort()

test('what three replicas see is told once, as if one had seen it', (t) => {
  if (!requireTool(t, 'promtool')) return
  const series = [...traffic('shared', 3), ...traffic('alone', 1)]
  const folder = temporaryFolder(t)
  const rules = [...ruleFiles(settings)]
    .filter(([name]) => name !== 'slo.yml')
    .map(([name, groups]) => {
      writeFileSync(join(folder, name), ruleFile(groups, settings))
      return join(folder, name)
    })
  const found = firingAlerts(t, { series, interval: 2 * minute, evaluate: 2 * minute, times, alerts }, rules)
  const told = shown(found, 'shared')
  assert.deepEqual(told, shown(found, 'alone'))
  assert.deepEqual(told, ['90 min ErrorShare page', '90 min ErrorShare ticket', '90 min TtftRegression page'])
  assert.deepEqual(
    found.filter(({ labels }) => labels['instance'] !== undefined),
    [],
  )
})
