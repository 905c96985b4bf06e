import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { loadConfig } from '../../src/config/load.ts'
import { overrides } from '../../src/config/overrides.ts'
import { listening, startProgram } from '../helpers/child-service.ts'
import { type Instruction, parseDockerfile } from '../helpers/dockerfile.ts'
import { type Manifest, renderKustomization } from '../helpers/kustomize.ts'
import { readSource, repository } from '../helpers/repository.ts'
import { simulatedGateway } from '../helpers/simulated-gateway.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const renderings = {
  base: renderKustomization('deploy/kubernetes/base'),
  example: renderKustomization('deploy/kubernetes/overlays/example'),
}
const secret = { ADMIN_TOKEN: 'a-token-of-the-secret' }

for (const [name, objects] of Object.entries(renderings)) {
  const pod = objects.find(({ kind }) => kind === 'Deployment')?.['spec'].template.spec
  const [container] = pod.containers
  const environment = { ...imageEnvironment(), ...valuesOf(container.env), ...secret }

  test(`${name}: the file of the ConfigMap has no problem, and says what the pod listens on`, (t) => {
    const loaded = loadConfig({ file: writeConfig(t, objects), env: environment })
    assert.ok('config' in loaded, JSON.stringify(loaded))
    const { proxy, admin } = loaded.config
    assert.deepEqual([proxy.host, admin.host], ['0.0.0.0', '0.0.0.0'])
    const ports = container.ports.map((port: { containerPort: number }) => port.containerPort)
    assert.deepEqual([proxy.port, admin.port], ports)
  })

  test(`${name}: the file decides where it listens, not the image`, (t) => {
    const file = writeConfig(t, objects, (yaml) => yaml.replaceAll('host: 0.0.0.0', 'host: "::"'))
    const loaded = loadConfig({ file, env: environment })
    assert.ok('config' in loaded, JSON.stringify(loaded))
    assert.deepEqual([loaded.config.proxy.host, loaded.config.admin.host], ['::', '::'])
  })

  test(`${name}: a pod gets longer than the pause and the drain take, and no longer than the cluster autoscaler grants`, (t) => {
    const loaded = loadConfig({ file: writeConfig(t, objects), env: environment })
    assert.ok('config' in loaded)
    const pause = container.lifecycle.preStop.sleep.seconds
    assert.ok(pause > 0)
    // The last scrape takes half a second; a node under load is slow to signal.
    assert.ok(pod.terminationGracePeriodSeconds >= pause + loaded.config.proxy.drain / 1000 + 10)
    assert.ok(pod.terminationGracePeriodSeconds <= 600)
  })

  test(`${name}: the command of the image with the pod's words, variables and file serves, by the Service's name`, {
    timeout: 30_000,
  }, async (t) => {
    const simulator = await simulatedGateway(t)
    const env = {
      ...environment,
      STREAMGAUGE_GATEWAY: simulator.url,
      STREAMGAUGE_PORT: '0',
      STREAMGAUGE_ADMIN_PORT: '0',
    }
    const file = writeConfig(t, objects)
    const words = [...entryPoint(), ...container.args].map((word) =>
      word.startsWith('/etc/') ? file : word.startsWith('/app/') ? join(repository, word.slice(5)) : word,
    )
    const started = startProgram(t, process.execPath, words.slice(1), { env })
    const { proxy_url, admin_url } = await listening(started)
    const [proxyPort, adminPort] = [proxy_url, admin_url].map((url) => Number(new URL(url).port)) as [number, number]

    const hosts = ['streamgauge.streamgauge.svc:8484', 'streamgauge', '10.244.1.7:8484']
    for (const host of hosts) assert.equal((await get(proxyPort, '/v1/models', { host })).status, 200, host)
    for (const { httpGet } of [container.startupProbe, container.livenessProbe, container.readinessProbe])
      assert.equal((await get(adminPort, httpGet.path, { host: '10.244.1.7:9484' })).status, 200, httpGet.path)

    const token = objects.find(({ kind }) => kind === 'ServiceMonitor')?.['spec'].endpoints[0].authorization
    const authorization = `Bearer ${secret[token?.credentials.key as keyof typeof secret] ?? ''}`
    const metrics = await get(adminPort, '/metrics', { host: '10.244.1.7:9484', authorization })
    assert.match(metrics.body, /^streamgauge_build_info/m)
    const asked = (await get(adminPort, '/metrics', { host: 'streamgauge-admin' })).status
    assert.equal(asked, token === undefined ? 200 : 401)

    started.child.kill('SIGTERM')
    assert.deepEqual(await once(started.child, 'exit'), [0, null], started.said)
  })

  test(`${name}: Kubernetes adds no variables of Services, which the proxy would read as its own`, () => {
    const ours = new Set(overrides.map(({ variable }) => variable))
    const clash = objects
      .filter(({ kind }) => kind === 'Service')
      .map(({ metadata }) => `${metadata.name.toUpperCase().replaceAll('-', '_')}_PORT`)
      .filter((variable) => ours.has(variable))
    assert.deepEqual(clash, ['STREAMGAUGE_PORT', 'STREAMGAUGE_ADMIN_PORT'])
    const linked = loadConfig({ env: { STREAMGAUGE_GATEWAY: 'http://a/v1', STREAMGAUGE_PORT: 'tcp://10.0.0.1:8484' } })
    assert.ok('problems' in linked)
    assert.equal(pod.enableServiceLinks, false)
  })

  test(`${name}: the pod may do nothing that it does not need (the policy "restricted", and a root that is read only)`, () => {
    const [image] = parseDockerfile(readSource('Dockerfile')).filter((step) => step.name === 'USER')
    const { runAsUser, runAsGroup, ...rest } = pod.securityContext
    assert.equal(`${runAsUser}:${runAsGroup}`, image?.text)
    assert.deepEqual(rest, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    assert.equal(pod.automountServiceAccountToken, false)
    for (const field of ['hostNetwork', 'hostPID', 'hostIPC', 'initContainers']) assert.equal(pod[field], undefined)
  })

  test(`${name}: memory is bounded, the CPU is not: a throttled process would measure its throttle`, () => {
    const { requests, limits } = container.resources
    assert.deepEqual([Object.keys(requests).sort(), Object.keys(limits)], [['cpu', 'memory'], ['memory']])
  })

  test(`${name}: a rollout starts a new replica before an old one drains`, () => {
    const { strategy } = objects.find(({ kind }) => kind === 'Deployment')?.['spec'] ?? {}
    assert.equal(strategy.rollingUpdate.maxUnavailable, 0)
    assert.ok(strategy.rollingUpdate.maxSurge >= 1)
  })
}

function writeConfig(t: TestContext, objects: readonly Manifest[], change = (yaml: string): string => yaml): string {
  const folder = join(temporaryFolder(t), 'etc')
  mkdirSync(folder)
  const config = objects.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && /^streamgauge-config-/.test(metadata.name),
  )
  const [entry] = Object.entries(config?.['data'] as Record<string, string>)
  assert.ok(entry)
  writeFileSync(join(folder, entry[0]), change(entry[1]))
  return join(folder, entry[0])
}

function lastStage(): Instruction[] {
  const steps = parseDockerfile(readSource('Dockerfile'))
  return steps.slice(steps.findLastIndex(({ name }) => name === 'FROM'))
}

function entryPoint(): string[] {
  return JSON.parse(lastStage().find(({ name }) => name === 'ENTRYPOINT')?.text as string)
}

function imageEnvironment(): Record<string, string> {
  const pairs = lastStage()
    .filter(({ name }) => name === 'ENV')
    .flatMap(({ text }) => text.split(/\s+/))
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]))
}

function valuesOf(env: readonly { name: string; value: string }[]): Record<string, string> {
  return Object.fromEntries(env.map(({ name, value }) => [name, value]))
}

async function get(port: number, path: string, headers: Record<string, string>) {
  const asked = request({ host: '127.0.0.1', port, path, headers, timeout: 10_000 }).end()
  const [answer] = await once(asked, 'response')
  return { status: answer.statusCode as number, body: await text(answer) }
}
