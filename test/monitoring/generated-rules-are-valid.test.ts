import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { generatedFiles } from '../../src/monitoring/generated-files.ts'
import { ruleFiles } from '../../src/monitoring/rules.ts'
import { defaultSettings, settingsProblems } from '../../src/monitoring/settings.ts'
import { anchors } from '../helpers/markdown.ts'
import { committedRules } from '../helpers/promtool.ts'
import { readSource, repository } from '../helpers/repository.ts'
import { requireTool } from '../helpers/tools.ts'

for (const [path, content] of generatedFiles()) {
  test(`${path} is up to date`, () => {
    assert.equal(readSource(path), content, `${path} is out of date: npm run generate`)
  })
}

test('there is no file that nobody makes', () => {
  const made = new Set(generatedFiles().keys())
  for (const folder of ['config/prometheus/rules', 'grafana/dashboards']) {
    const strays = readdirSync(join(repository, folder)).filter(
      (name) => /json|yml/.test(name) && !made.has(`${folder}/${name}`),
    )
    assert.deepEqual(strays, [])
  }
})

const run = (tool: string, ...args: string[]): void => {
  const { status, stdout, stderr } = spawnSync(tool, args, { cwd: repository, encoding: 'utf8' })
  assert.equal(status, 0, `${tool} ${args.join(' ')}\n${stdout}${stderr}`)
}

test('promtool accepts the rules and the configuration', (t) => {
  if (!requireTool(t, 'promtool')) return
  run('promtool', 'check', 'rules', '--lint=all', '--lint-fatal', ...committedRules)
  run('promtool', 'check', 'config', '--lint=all', '--lint-fatal', 'config/prometheus/prometheus.yml')
})

test('amtool accepts the configuration', (t) => {
  if (!requireTool(t, 'amtool')) return
  run('amtool', 'check-config', 'config/alertmanager/alertmanager.yml')
})

interface WrittenAlert {
  readonly alert?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

const written: readonly WrittenAlert[] = committedRules
  .flatMap((path) => (parse(readSource(path)) as { groups: { rules: WrittenAlert[] }[] }).groups)
  .flatMap(({ rules }) => rules)
  .filter(({ alert }) => alert !== undefined)

test('every alert says what it means, how bad it is, and where to look', () => {
  const sections = anchors('docs/runbooks.md')
  for (const { alert, labels, annotations } of written) {
    assert.match(alert as string, /^Streamgauge[A-Z]/)
    assert.match(labels['severity'] as string, /^(page|ticket)$/, alert)
    assert.deepEqual(Object.keys(annotations), ['summary', 'description', 'runbook_url', 'dashboard_url'], alert)
    assert.ok((annotations['description'] as string).length > 40, alert)
    assert.ok(sections.has(annotations['runbook_url']?.split('#')[1] as string), `${alert} has no runbook`)
  }
})

test('every runbook has its alert', () => {
  const names = new Set(written.map(({ alert }) => alert))
  const sections = [...readSource('docs/runbooks.md').matchAll(/^## (Streamgauge\w+)$/gm)].map(
    ([, name]) => name as string,
  )
  assert.deepEqual(
    sections.filter((name) => !names.has(name)),
    [],
  )
})

test('the settings make sense', () => {
  assert.deepEqual(settingsProblems(defaultSettings), [])
})

test('a burn factor that the objective makes impossible is refused', () => {
  const loose = { ...defaultSettings, objectives: [{ name: 'ttft', threshold: 3, objective: 0.9, models: '.*' }] }
  assert.deepEqual(settingsProblems(loose), [
    'objective ttft: a burn of 6 over 1h means 60 % bad streams; at most 5 makes sense',
  ])
  assert.throws(() => ruleFiles(loose), /a burn of 6/)
})

test('a threshold that is no bound of the histogram is refused, unless the configuration adds it', () => {
  const odd = { ...defaultSettings, objectives: [{ name: 'ttft', threshold: 2.5, objective: 0.95, models: '.*' }] }
  assert.deepEqual(settingsProblems(odd), [
    'objective ttft: 2.5 s is no bound of the histogram; add it to metrics.slo.ttft of the proxies and to addedBounds',
  ])
  assert.deepEqual(settingsProblems({ ...odd, addedBounds: [2.5] }), [])
})
