import assert from 'node:assert/strict'
import { test } from 'node:test'
import { variablesOf } from '../../src/monitoring/dashboards/queries.ts'
import { metricSpecs } from '../../src/report/metric-list.ts'
import { dashboards, interpolate, panelQueries, panelsOf, readExpression, ruleQueries } from '../helpers/promql.ts'

const specs = metricSpecs({ inputSize: true })
/** Names as they stand in PromQL, with their labels. */
const exposed = new Map<string, readonly string[]>()
for (const { name, type, labels, enumerated = [] } of specs) {
  const all = [...labels, ...enumerated.map(({ label }) => label)]
  if (type !== 'histogram') exposed.set(`streamgauge_${name}`, all)
  else {
    exposed.set(`streamgauge_${name}_bucket`, [...all, 'le'])
    for (const suffix of ['count', 'sum']) exposed.set(`streamgauge_${name}_${suffix}`, all)
  }
}
/** Prometheus' own, and Node's. */
const foreign = new Set([
  'up',
  'ALERTS',
  'scrape_duration_seconds',
  'scrape_samples_scraped',
  'process_resident_memory_bytes',
])
const recorded = new Set(ruleQueries.filter(({ record }) => record).map(({ name }) => name))
const sample = { rateInterval: '1m', range: '1h' }

const queries = [
  ...panelQueries.map(({ dashboard, panel, expr }) => ({
    where: `${dashboard}, ${panel}`,
    expr: interpolate(expr, sample),
  })),
  ...ruleQueries.map(({ name, expr }) => ({ where: name, expr })),
]

test('every query of a panel or rule is valid, and names what there is', () => {
  const faults = queries.flatMap(({ where, expr }) => {
    const { errors, metrics } = readExpression(expr)
    const unknown = metrics.filter((name) => !exposed.has(name) && !foreign.has(name) && !recorded.has(name))
    return [...errors, ...unknown].map((fault) => `${where}: ${fault}\n${expr}`)
  })
  assert.deepEqual(faults, [])
})

test('every label is one of a metric in the query', () => {
  const ofAny = new Set(['job', 'instance', 'alertname', 'alertstate', 'severity'])
  const faults = queries.flatMap(({ where, expr }) => {
    const { metrics, labels } = readExpression(expr)
    const known = new Set(metrics.flatMap((name) => exposed.get(name) ?? []))
    // Those of a recorded series are known by its own rule.
    if (metrics.some((name) => recorded.has(name) || name === 'ALERTS')) return []
    return labels.filter((label) => !known.has(label) && !ofAny.has(label)).map((label) => `${where}: ${label}`)
  })
  assert.deepEqual(faults, [])
})

test('panels choose by every variable that a metric has a label for', () => {
  const variables = ['gateway', 'model', 'operation', 'app']
  for (const { name, labels } of specs) {
    assert.deepEqual(
      variablesOf(name),
      variables.filter((variable) => labels.includes(variable)),
      name,
    )
  }
})

/** Metrics that no panel shows, and why. */
const unshown: Readonly<Record<string, string>> = {}

test('every metric is on a dashboard, or there is a reason', () => {
  const shown = new Set(queries.slice(0, panelQueries.length).flatMap(({ expr }) => readExpression(expr).metrics))
  const missing = specs
    .map(({ name }) => name)
    .filter((name) => !['', '_bucket', '_count', '_sum'].some((suffix) => shown.has(`streamgauge_${name}${suffix}`)))
  assert.deepEqual(missing, Object.keys(unshown))
})

test('rates take the interval that Grafana computes, tables and totals the time shown', () => {
  const faults = panelQueries.flatMap(({ panel, expr }) => {
    // The grammar knows no variables: a word of its own stands for each.
    const ranges = readExpression(interpolate(expr, { rateInterval: '11m', range: '22m' })).ranges
    return ranges.filter((range) => range !== '11m' && range !== '22m').map((range) => `${panel}: ${range}`)
  })
  assert.deepEqual(faults, [])
})

for (const dashboard of dashboards) {
  test(`${dashboard.title}: every panel has a title, a description, a unit and the chosen data source`, () => {
    const titles = new Set<string>()
    for (const panel of panelsOf(dashboard)) {
      const { title = '', description = '', targets = [] } = panel
      assert.ok(title !== '' && !titles.has(title), `"${title}" twice, or none`)
      titles.add(title)
      assert.ok(description.length > 12, `${title} has no description`)
      assert.ok(targets.length > 0, `${title} asks nothing`)
      assert.ok(panel.fieldConfig?.defaults.noValue, `${title} does not say why it is empty`)
      assert.ok(panel.fieldConfig?.defaults.unit ?? panel.options?.yAxis?.unit, `${title} has no unit`)
      for (const { uid } of [panel.datasource, ...targets.map((target) => target.datasource)].flatMap(
        (one) => one ?? [],
      ))
        assert.equal(uid, '${datasource}', title)
    }
  })

  test(`${dashboard.title}: variables work at All, and are asked of series that exist from the start`, () => {
    const [source, ...others] = dashboard.templating.list
    assert.equal(source?.['type'], 'datasource')
    assert.deepEqual(
      others.map(({ name }) => name),
      ['gateway', 'model', 'operation', 'app'],
    )
    for (const { name, allValue, multi, includeAll, query } of others) {
      assert.deepEqual([allValue, multi, includeAll], ['.*', true, true], name as string)
      assert.match((query as { query: string }).query, /^label_values\(streamgauge_requests_total/)
    }
  })

  test(`${dashboard.title}: links to the others and to the runbooks`, () => {
    assert.ok(dashboard.links.some(({ type }) => type === 'dashboards'))
    assert.ok(dashboard.links.some(({ url }) => url?.endsWith('docs/runbooks.md')))
  })
}
