import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { repository } from '../helpers/repository.ts'
import { requireTool } from '../helpers/tools.ts'

for (const [tool, words, file] of [
  ['promtool', ['check', 'config'], 'config/prometheus/prometheus.yml'],
  ['amtool', ['check-config'], 'config/alertmanager/alertmanager.yml'],
] as const) {
  test(`${tool} accepts ${file}`, { timeout: 60_000 }, (t) => {
    if (!requireTool(t, tool)) return
    const done = spawnSync(tool, [...words, `${repository}${file}`], { encoding: 'utf8' })
    assert.equal(done.status, 0, `${done.stdout}${done.stderr}`)
  })
}
