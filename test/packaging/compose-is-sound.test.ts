import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config/load.ts'
import { type ComposeService, composeVariables, readCompose } from '../helpers/compose.ts'
import { readSource, repository } from '../helpers/repository.ts'

const { services, volumes } = readCompose()
const entries = Object.entries(services)
const withProfile = (profile?: string): [string, ComposeService][] =>
  entries.filter(([, { profiles }]) => profiles === undefined || (profile !== undefined && profiles.includes(profile)))

test('proxy, Prometheus, Grafana and Alertmanager start; the profile demo adds a simulator and traffic', () => {
  const always = ['alertmanager', 'grafana', 'prometheus', 'streamgauge']
  assert.deepEqual(
    withProfile()
      .map(([name]) => name)
      .sort(),
    always,
  )
  assert.deepEqual(
    withProfile('demo')
      .map(([name]) => name)
      .sort(),
    [...always, 'simulator', 'traffic'].sort(),
  )
})

test('every image has a tag of one version', () => {
  for (const [name, { image }] of entries) assert.match(image, /^[\w./-]+:v?\d+\.\d+\.\d+$/, name)
  for (const [, image] of readSource('Dockerfile').matchAll(/^FROM (\S+)/gm))
    assert.match(image as string, /^node:24\.\d+\.\d+-[a-z]+-slim$/)
})

test("our own image has the package's version, is built here, once, and never asked of a registry", () => {
  const { version } = JSON.parse(readSource('package.json')) as { version: string }
  const own = entries.filter(([, { image }]) => image.startsWith('streamgauge:'))
  for (const [name, { image }] of own) assert.equal(image, `streamgauge:${version}`, name)
  const built = own.filter(([, { build }]) => build !== undefined)
  assert.deepEqual(
    built.map(([name, { build, pull_policy }]) => [name, build, pull_policy]),
    [['streamgauge', '.', 'build']],
  )
  for (const [name, { pull_policy, build }] of own) if (build === undefined) assert.equal(pull_policy, 'never', name)
})

test('every service has a health check', () => {
  for (const [name, { healthcheck }] of entries) {
    assert.equal(healthcheck.test[0], 'CMD', name)
    assert.ok(healthcheck.test.length > 1, name)
  }
})

test('a service that needs another waits until it is healthy', () => {
  for (const [name, { depends_on = {}, profiles }] of entries) {
    for (const [needed, { condition }] of Object.entries(depends_on)) {
      assert.equal(condition, 'service_healthy', `${name} needs ${needed}`)
      const other = services[needed]
      assert.ok(other !== undefined, `${name} needs ${needed}`)
      // Else compose would start, or refuse to start, what the profile was to leave out.
      assert.ok(other.profiles === undefined || profiles !== undefined, `${name} needs ${needed}, which has a profile`)
    }
  }
})

test('ports are published on loopback alone, each once, at an address that .env can change', () => {
  const published = entries.flatMap(([, { ports = [] }]) => ports)
  for (const port of published) assert.match(port, /^127\.0\.0\.1:\d+:\d+$/)
  const outside = published.map((port) => port.split(':')[1])
  assert.equal(new Set(outside).size, outside.length)
  const variables = [...composeVariables().keys()].filter((name) => name.endsWith('_PORT'))
  assert.equal(variables.length, outside.length)
})

test('a changed port moves what is published, not what listens inside', () => {
  const { ports, environment } = readCompose({ STREAMGAUGE_PORT: '9000', STREAMGAUGE_ADMIN_PORT: '9001' }).services[
    'streamgauge'
  ] as ComposeService
  assert.deepEqual(ports, ['127.0.0.1:9000:8484', '127.0.0.1:9001:9484'])
  assert.deepEqual([environment?.['STREAMGAUGE_PORT'], environment?.['STREAMGAUGE_ADMIN_PORT']], [8484, 9484])
})

test('what is mounted from here exists, and cannot be written to', () => {
  const used = new Set<string>()
  for (const [name, service] of entries) {
    for (const volume of service.volumes ?? []) {
      const [source, target, mode] = volume.split(':') as [string, string, string | undefined]
      assert.match(target, /^\//)
      if (!source.startsWith('.')) {
        assert.ok(source in volumes, `${name}: ${source} is no volume of the file`)
        used.add(source)
        continue
      }
      assert.equal(mode, 'ro', `${name}: ${volume}`)
      assert.ok(existsSync(join(repository, source)), `${name}: ${source} does not exist`)
      assert.ok(
        statSync(join(repository, source)).isDirectory(),
        `${name}: a single file is not followed when an editor replaces it`,
      )
    }
  }
  assert.deepEqual([...used].sort(), Object.keys(volumes).sort())
})

test('files that a command or a variable names are among what is mounted', () => {
  for (const [name, service] of entries) {
    const file =
      service.command?.map((word) => /^--config\.file=(.+)$/.exec(word)?.[1]).find(Boolean) ??
      service.environment?.['STREAMGAUGE_CONFIG'] ??
      service.environment?.['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH']
    if (file === undefined) continue
    const mount = service.volumes
      ?.map((volume) => volume.split(':') as [string, string])
      .find(([, target]) => String(file).startsWith(`${target}/`))
    assert.ok(mount !== undefined, `${name}: ${file} is not mounted`)
    assert.ok(existsSync(join(repository, mount[0], String(file).slice(mount[1].length))), `${name}: ${file}`)
  }
})

test('nothing runs as root on purpose, and none may gain privileges', () => {
  for (const [name, service] of entries) {
    assert.equal(service.privileged, undefined, name)
    assert.notEqual(service.user, 'root', name)
    assert.deepEqual((service as { security_opt?: string[] }).security_opt, ['no-new-privileges:true'], name)
  }
})

test('running streams get longer than proxy.drain to finish', () => {
  const loaded = loadConfig({ env: {}, flags: { config: `${repository}config/streamgauge.docker.yaml` } })
  assert.ok('config' in loaded)
  const [, minutes, seconds] = /^(\d+)m(\d+)s$/.exec(services['streamgauge']?.stop_grace_period ?? '') ?? []
  assert.ok((Number(minutes) * 60 + Number(seconds)) * 1000 > loaded.config.proxy.drain)
})

test('the configuration is valid, and has the gateways that the traffic wants', () => {
  const loaded = loadConfig({
    env: { STREAMGAUGE_GATEWAY: '', ...stringsOf(services['streamgauge']?.environment) },
    flags: { config: `${repository}config/streamgauge.docker.yaml` },
  })
  assert.ok('config' in loaded, JSON.stringify(loaded))
  const { gateways, proxy, admin } = loaded.config
  assert.deepEqual([proxy.host, admin.host], ['0.0.0.0', '0.0.0.0'])
  for (const name of ['east', 'west']) {
    const url = new URL(gateways.find((gateway) => gateway.name === name)?.url ?? 'http://missing')
    assert.ok(services[url.hostname] !== undefined, name)
    assert.equal(url.port, services[url.hostname]?.ports?.[0]?.split(':').at(-1))
  }
  assert.ok(!['east', 'west'].includes(gateways[0]?.name as string), 'without the profile nobody answers there')
})

test('Grafana shows to everybody, asks nobody, and is provisioned from what is mounted', () => {
  const { environment = {}, volumes: mounts = [] } = services['grafana'] as ComposeService
  assert.equal(environment['GF_AUTH_ANONYMOUS_ENABLED'], 'true')
  assert.equal(environment['GF_AUTH_ANONYMOUS_ORG_ROLE'], 'Viewer')
  assert.equal(environment['GF_ANALYTICS_REPORTING_ENABLED'], 'false')
  assert.equal(environment['GF_ANALYTICS_CHECK_FOR_UPDATES'], 'false')
  const { providers } = parse(readSource('grafana/provisioning/dashboards/streamgauge.yaml'))
  const targets = mounts.map((mount) => mount.split(':')[1])
  for (const { options, allowUiUpdates } of providers) {
    assert.ok(targets.includes(options.path))
    assert.equal(allowUiUpdates, false)
  }
  const { datasources } = parse(readSource('grafana/provisioning/datasources/prometheus.yaml'))
  for (const { url, uid } of datasources) {
    assert.ok(uid)
    const { hostname, port } = new URL(url)
    assert.equal(services[hostname]?.ports?.[0]?.split(':').at(-1), port)
  }
})

test("Prometheus' configuration names services of the file, by the ports they listen on", () => {
  const { scrape_configs, alerting } = parse(readSource('config/prometheus/prometheus.yml'))
  const groups = [...scrape_configs, ...alerting.alertmanagers].flatMap(({ static_configs }) => static_configs)
  for (const target of groups.flatMap(({ targets }) => targets) as string[]) {
    const [host, port] = target.split(':') as [string, string]
    const service = host === 'localhost' ? services['prometheus'] : services[host]
    assert.ok(
      service?.ports?.some((published) => published.endsWith(`:${port}`)),
      target,
    )
  }
})

test('.env.example has every variable of the file, with its default', () => {
  const given = new Map(
    readSource('.env.example')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  assert.deepEqual(Object.fromEntries([...given].sort()), Object.fromEntries([...composeVariables()].sort()))
})

function stringsOf(environment: ComposeService['environment'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]))
}
