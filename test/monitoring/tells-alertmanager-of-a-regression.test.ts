import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ruleFile } from '../../src/monitoring/rule.ts'
import { ruleFiles } from '../../src/monitoring/rules.ts'
import { defaultSettings, type MonitoringSettings } from '../../src/monitoring/settings.ts'
import { startAlertmanager } from '../helpers/alertmanager.ts'
import { startPrometheus } from '../helpers/prometheus.ts'
import { startProxy } from '../helpers/proxy-under-test.ts'
import { simulatedGateway } from '../helpers/simulated-gateway.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { requireTool } from '../helpers/tools.ts'

/** The rules as they are, with seconds in place of minutes, hours and days. */
const scaled: MonitoringSettings = {
  ...defaultSettings,
  interval: 1,
  baselines: [18, 24],
  shift: [{ severity: 'page', short: 4, long: 8, effect: 0.25, significance: { short: 1.36, long: 2.2 }, for: 1 }],
  burn: [{ severity: 'page', short: 4, long: 8, factor: 6 }],
  windows: { short: 4, medium: 6, long: 8 },
  patience: { short: 1, long: 2 },
  keepFiring: 1,
}
const model = 'sim/fast'
const everyMs = 70

interface Notification {
  readonly status: 'firing' | 'resolved'
  readonly alerts: readonly {
    readonly status: 'firing' | 'resolved'
    readonly labels: Readonly<Record<string, string>>
    readonly annotations: Readonly<Record<string, string>>
  }[]
}

/** What Alertmanager posts. */
async function webhook(t: TestContext): Promise<{ url: string; heard: Notification[] }> {
  const heard: Notification[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    heard.push(JSON.parse(text) as Notification)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, heard }
}

async function startWatching(t: TestContext, admin: string, alertmanager: string) {
  const folder = temporaryFolder(t)
  const files = [...ruleFiles(scaled)].map(([name, groups]) => {
    const path = join(folder, name)
    writeFileSync(path, ruleFile(groups, scaled))
    return path
  })
  return startPrometheus(t, {
    flags: ['--enable-feature=exemplar-storage'],
    config: {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: files,
      alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] },
      scrape_configs: [{ job_name: 'streamgauge', static_configs: [{ targets: [new URL(admin).host] }] }],
    },
  })
}

/** Streams at a steady pace until it is stopped. */
function steadyTraffic(t: TestContext, url: string): void {
  const body = JSON.stringify({
    model,
    stream: true,
    messages: [{ role: 'user', content: 'How high is the river?' }],
    sim: { tokens: 4, tokensPerSecond: 400 },
  })
  const timer = setInterval(() => {
    void fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      .then((answer) => answer.text())
      .catch(() => undefined)
  }, everyMs)
  t.after(() => clearInterval(timer))
}

const until = async (holds: () => boolean | Promise<boolean>, atMostMs = Number.POSITIVE_INFINITY): Promise<void> => {
  const begun = performance.now()
  while (!(await holds()) && performance.now() - begun < atMostMs) await delay(100)
}

test('the webhook hears of a first token that comes twice as late, and of its end', async (t) => {
  if (!['prometheus', 'prometheus-alertmanager'].every((tool) => requireTool(t, tool))) return
  const begun = Date.now() / 1000
  const simulator = await simulatedGateway(t)
  const proxy = await startProxy(t, simulator.url)
  const { url, heard } = await webhook(t)
  const alertmanager = await startAlertmanager(t, url)
  const prometheus = await startWatching(t, proxy.service.adminUrl, alertmanager)
  steadyTraffic(t, proxy.url)
  const regressions = (status: string) =>
    heard.flatMap(({ alerts }) =>
      alerts.filter((alert) => alert.labels['alertname'] === 'StreamgaugeTtftRegression' && alert.status === status),
    )

  // Both baselines have to be there.
  const far = 'model:streamgauge_ttft_shift:8s_against_8s_24s_ago'
  await until(async () => (await prometheus.query(far)).length > 0)
  await delay(2000)
  assert.deepEqual(regressions('firing'), [])

  // A machine that stands still for seconds can miss the moment: the far baseline is slow itself some time later. Then once more.
  for (let attempt = 1; regressions('firing').length === 0 && attempt <= 2; attempt++) {
    if (attempt > 1) await delay(26_000)
    simulator.slow(model, 2)
    await until(() => regressions('firing').length > 0, 18_000)
    simulator.slow(model, 1)
  }
  const [alert] = regressions('firing')
  assert.equal(alert?.labels['model'], model, 'no regression was told')
  assert.equal(alert?.labels['severity'], 'page')
  assert.match(alert?.annotations['description'] as string, /p50 [\d.]+m?s, p95 [\d.]+m?s; 18s ago p50 [\d.]+m?s/)

  await until(() => regressions('resolved').length > 0)

  const { groups } = (await prometheus.get('rules')) as {
    groups: { rules: { name: string; health: string; lastError?: string }[] }[]
  }
  const broken = groups.flatMap(({ rules }) => rules).filter(({ health }) => health !== 'ok')
  assert.deepEqual(
    broken.map(({ name, lastError }) => `${name}: ${lastError}`),
    [],
  )
  const exemplars = (await prometheus.get(
    `query_exemplars?query=streamgauge_time_to_first_token_seconds_bucket&start=${begun}&end=${Date.now() / 1000}`,
  )) as { exemplars: { labels: Record<string, string> }[] }[]
  const ids = exemplars.flatMap((series) => series.exemplars.map(({ labels }) => labels['exchange_id']))
  const logged = new Set(proxy.log.map(({ id }) => id))
  assert.ok(ids.length > 0)
  assert.deepEqual(
    ids.filter((id) => !logged.has(id)),
    [],
  )

  // A machine that is busy with something else holds the proxy's event loop up: that may be told, too.
  const ofModels = heard.flatMap(({ alerts }) => alerts).filter(({ labels }) => labels['scope'] !== 'proxy')
  const others = new Set(ofModels.map(({ labels }) => labels['alertname']))
  assert.deepEqual([...others], ['StreamgaugeTtftRegression'])
})
