import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freePort } from '../../bench/free-port.ts'
import { loadConfig } from '../../src/config/load.ts'
import { type Service, startService } from '../../src/service.ts'
import { until } from '../helpers/child-service.ts'
import { readCompose } from '../helpers/compose.ts'
import { startServer } from '../helpers/prometheus.ts'
import { readSource, repository } from '../helpers/repository.ts'
import { simulatedGateway } from '../helpers/simulated-gateway.ts'
import { temporaryFile, temporaryFolder } from '../helpers/temporary-folder.ts'
import { requireTool } from '../helpers/tools.ts'

const { services } = readCompose()

/** Debian's programs instead of the images: the flags, the files and the health checks are those of the compose file. */
test("every target of Prometheus is up, and Alertmanager is found, with the compose file's commands", {
  timeout: 60_000,
}, async (t) => {
  for (const tool of ['prometheus', 'prometheus-alertmanager', 'amtool']) if (!requireTool(t, tool)) return
  const service = await startProxy(t)
  const folder = temporaryFolder(t)
  const [prometheus, alertmanager] = [await freePort(), await freePort()]

  await startServer(
    t,
    'prometheus-alertmanager',
    wordsOf('alertmanager', folder, alertmanager),
    `http://127.0.0.1:${alertmanager}/-/ready`,
  )
  const check = services['alertmanager']?.healthcheck.test.slice(1) ?? []
  const [tool, ...rest] = check.map((word) => word.replace('localhost:9093', `127.0.0.1:${alertmanager}`))
  assert.equal(spawnSync(tool as string, rest).status, 0)

  const places = new Map([
    ['streamgauge:9484', new URL(service.adminUrl).host],
    ['localhost:9090', `127.0.0.1:${prometheus}`],
    ['alertmanager:9093', `127.0.0.1:${alertmanager}`],
    ['scrape_interval: 15s', 'scrape_interval: 1s'],
  ])
  const words = wordsOf('prometheus', folder, prometheus)
  rewrite(join(folder, 'prometheus-files/prometheus.yml'), places)
  await startServer(t, 'prometheus', words, `http://127.0.0.1:${prometheus}/-/ready`)

  const get = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`http://127.0.0.1:${prometheus}/api/v1/${path}`)
    return ((await answer.json()) as { data: T }).data
  }
  const up = await until(async () => {
    const { activeTargets } = await get<{ activeTargets: Target[] }>('targets')
    return activeTargets.length >= 2 && activeTargets.every(({ health }) => health === 'up') ? activeTargets : undefined
  })
  assert.deepEqual(up.map(({ labels }) => labels.job).sort(), ['prometheus', 'streamgauge'])
  const { activeAlertmanagers } = await until(async () => {
    const found = await get<{ activeAlertmanagers: unknown[] }>('alertmanagers')
    return found.activeAlertmanagers.length > 0 ? found : undefined
  })
  assert.equal(activeAlertmanagers.length, 1)
  const { groups } = await get<{ groups: unknown[] }>('rules')
  assert.ok(groups.length > 0)
})

interface Target {
  readonly health: string
  readonly labels: { readonly job: string }
}

/** The words of a service's command, with copies of its files and a folder in place of its volume. */
function wordsOf(name: string, folder: string, port: number): string[] {
  const { command = [], volumes = [] } = services[name] ?? {}
  const places = new Map<string, string>()
  for (const volume of volumes) {
    const [source, target] = volume.split(':') as [string, string]
    const place = join(folder, source.startsWith('.') ? `${name}-files` : source)
    if (source.startsWith('.')) cpSync(join(repository, source), place, { recursive: true })
    else mkdirSync(place)
    places.set(`=${target}`, `=${place}`)
  }
  return [...command.map((word) => replaced(word, places)), `--web.listen-address=127.0.0.1:${port}`]
}

async function startProxy(t: TestContext): Promise<Service> {
  const simulator = await simulatedGateway(t)
  const file = readSource('config/streamgauge.docker.yaml').replaceAll('http://simulator:8585/v1', simulator.url)
  const loaded = loadConfig({
    env: { STREAMGAUGE_PORT: '0', STREAMGAUGE_ADMIN_PORT: '0' },
    flags: { config: temporaryFile(t, 'streamgauge.yaml', file) },
  })
  assert.ok('config' in loaded)
  const service = await startService(loaded.config, { log: { write: () => {} } })
  t.after(() => service.close())
  for (const gateway of ['east', 'west']) {
    const answer = await fetch(`${service.proxyUrl}/${gateway}/v1/models`)
    assert.equal(answer.status, 200)
    await answer.text()
  }
  return service
}

function rewrite(file: string, places: ReadonlyMap<string, string>): void {
  writeFileSync(file, replaced(readFileSync(file, 'utf8'), places))
}

function replaced(text: string, places: ReadonlyMap<string, string>): string {
  return [...places].reduce((so, [from, to]) => so.replaceAll(from, to), text)
}
