import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { metricSpecs, prefix } from '../../src/report/metric-list.ts'
import { renderKustomization } from '../helpers/kustomize.ts'
import { committedRules } from '../helpers/promtool.ts'
import { readSource, repository } from '../helpers/repository.ts'
import { temporaryFile } from '../helpers/temporary-folder.ts'
import { requireTool } from '../helpers/tools.ts'

const objects = renderKustomization('deploy/kubernetes/overlays/example')
const rule = objects.find(({ kind }) => kind === 'PrometheusRule')?.['spec']

test('the PrometheusRule holds the groups of the files for Prometheus, every one', () => {
  const files = committedRules.flatMap((path) => parse(readSource(path)).groups as { name: string }[])
  const byName = (groups: readonly { name: string }[]) => Object.fromEntries(groups.map((group) => [group.name, group]))
  assert.deepEqual(byName(rule.groups), byName(files))
  assert.equal(rule.groups.length, files.length)
})

test('promtool accepts it', { timeout: 60_000 }, (t) => {
  if (!requireTool(t, 'promtool')) return
  const file = temporaryFile(t, 'rules.json', JSON.stringify(rule))
  const done = spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })
  assert.equal(done.status, 0, done.stdout + done.stderr)
})

test("every dashboard is a ConfigMap that Grafana's sidecar takes", () => {
  const maps = objects.filter(({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1')
  const data: Record<string, string> = Object.assign({}, ...maps.map((map) => map['data']))
  const names = readdirSync(join(repository, 'grafana/dashboards')).filter((name) => name.endsWith('.json'))
  assert.deepEqual(Object.keys(data).sort(), names.sort())
  for (const name of names) assert.equal(data[name], readSource(`grafana/dashboards/${name}`), name)
  // A name with a suffix would leave the old one behind, with the same uid.
  for (const { metadata } of maps) assert.match(metadata.name, /^streamgauge-dashboard-[a-z]+$/)
})

const adapter = parse(readSource('deploy/kubernetes/components/autoscaling/prometheus-adapter-rules.yaml')).rules[0]
/** As prometheus-adapter fills it in for the pods of a Deployment. */
const query = (adapter.metricsQuery as string)
  .replaceAll('<<.GroupBy>>', 'pod')
  .replaceAll('<<.LabelMatchers>>', 'namespace="here",pod=~"a|b|c"')

test("the autoscaler asks for the adapter's metric, which is made of metrics that there are", () => {
  const autoscaler = objects.find(({ kind }) => kind === 'HorizontalPodAutoscaler')?.['spec']
  assert.equal(autoscaler.metrics[0].pods.metric.name, adapter.name.as)
  const known = new Set([
    ...metricSpecs({ inputSize: false }).map(({ name }) => prefix + name),
    'streamgauge_build_info',
  ])
  for (const [name] of `${adapter.seriesQuery} ${query}`.matchAll(/\bstreamgauge_\w+/g))
    assert.ok(known.has(name), name)
})

test('it counts the streams of each replica, and 0 where there has been none yet', { timeout: 60_000 }, (t) => {
  if (!requireTool(t, 'promtool')) return
  const series = (text: string, value: number) => ({ series: text, values: `${value}x3` })
  const streams = (pod: string, model: string, value: number, namespace = 'here') =>
    series(`streamgauge_streams_in_flight{namespace="${namespace}",pod="${pod}",gateway="g",model="${model}"}`, value)
  const build = (pod: string, namespace = 'here') =>
    series(`streamgauge_build_info{namespace="${namespace}",pod="${pod}",version="0.1.0"}`, 1)
  const content = {
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: [
          ...['a', 'b', 'c', 'other'].map((pod) => build(pod)),
          build('a', 'elsewhere'),
          streams('a', 'small', 120),
          streams('a', 'large', 30),
          streams('b', 'small', 7),
          streams('other', 'small', 1000),
          streams('a', 'small', 1000, 'elsewhere'),
        ],
        promql_expr_test: [
          {
            expr: query,
            eval_time: '2m',
            exp_samples: [
              { labels: '{pod="a"}', value: 150 },
              { labels: '{pod="b"}', value: 7 },
              { labels: '{pod="c"}', value: 0 },
            ],
          },
        ],
      },
    ],
  }
  // JSON is YAML.
  const file = temporaryFile(t, 'test.json', JSON.stringify(content))
  const done = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
  assert.equal(done.status, 0, done.stdout + done.stderr)
})
