import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultSettings } from '../../src/monitoring/settings.ts'
import { metricSpecs } from '../../src/report/metric-list.ts'
import { type Manifest, renderKustomization } from '../helpers/kustomize.ts'

const objects = renderKustomization('deploy/kubernetes/overlays/example')
const all = (kind: string): Manifest[] => objects.filter((object) => object.kind === kind)
const one = (kind: string, name = 'streamgauge'): Manifest => {
  const found = all(kind).find(({ metadata }) => metadata.name === name)
  assert.ok(found, `${kind} ${name}`)
  return found
}

const deployment = one('Deployment')['spec']
const pod = deployment.template.spec
const [container] = pod.containers
const ports = new Map<string, number>(
  container.ports.map((port: { name: string; containerPort: number }) => [port.name, port.containerPort]),
)
type Labels = Readonly<Record<string, string>>
const covers = (selector: Labels, labels: Labels = {}): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)

test('everything is in one namespace, which is made here', () => {
  const { name } = one('Namespace').metadata
  for (const { kind, metadata } of objects) if (kind !== 'Namespace') assert.equal(metadata.namespace, name)
})

test('whoever selects pods selects those of the Deployment', () => {
  const selectors = [
    deployment.selector.matchLabels,
    one('Service')['spec'].selector,
    one('Service', 'streamgauge-admin')['spec'].selector,
    one('PodDisruptionBudget')['spec'].selector.matchLabels,
    one('NetworkPolicy')['spec'].podSelector.matchLabels,
    ...pod.topologySpreadConstraints.map(
      (spread: { labelSelector: { matchLabels: Labels } }) => spread.labelSelector.matchLabels,
    ),
  ]
  for (const selector of selectors) {
    assert.notDeepEqual(selector, {})
    assert.ok(covers(selector, deployment.template.metadata.labels), JSON.stringify(selector))
  }
})

test('ports are named by a name that the container has, and are the same outside and inside', () => {
  for (const service of all('Service'))
    for (const { name, port, targetPort } of service['spec'].ports) {
      assert.equal(targetPort, name)
      assert.equal(ports.get(name), port, service.metadata.name)
    }
  for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe])
    assert.ok(ports.has(probe.httpGet.port))
  for (const rule of one('NetworkPolicy')['spec'].ingress)
    for (const { port } of rule.ports) assert.ok(ports.has(port), port)
})

test('apps reach the proxy alone by its Service; the second listener has no address of its own', () => {
  assert.deepEqual(
    one('Service')['spec'].ports.map(({ name }: { name: string }) => name),
    ['proxy'],
  )
  assert.equal(one('Service', 'streamgauge-admin')['spec'].clusterIP, 'None')
})

test('what the pod mounts and runs as is there', () => {
  assert.ok(one('ServiceAccount', pod.serviceAccountName))
  for (const { name, configMap } of pod.volumes) {
    const { data } = one('ConfigMap', configMap.name) as unknown as { data: Record<string, string> }
    const mount = container.volumeMounts.find((candidate: { name: string }) => candidate.name === name)
    assert.ok(mount.readOnly)
    const file = container.args[container.args.indexOf('--config') + 1]
    assert.equal(file, `${mount.mountPath}/${Object.keys(data)[0]}`)
  }
})

test('the Secret may be missing; it is the one that the ServiceMonitor reads the token of', () => {
  const [{ secretRef }] = container.envFrom
  assert.equal(secretRef.optional, true)
  const [{ authorization }] = one('ServiceMonitor')['spec'].endpoints
  assert.equal(authorization.credentials.name, secretRef.name)
})

test('the autoscaler moves the Deployment, which says no number of its own', () => {
  const { scaleTargetRef, minReplicas, maxReplicas } = one('HorizontalPodAutoscaler')['spec']
  const { apiVersion, kind, metadata } = one('Deployment')
  assert.deepEqual(scaleTargetRef, { apiVersion, kind, name: metadata.name })
  assert.equal(deployment.replicas, undefined)
  // A disruption budget of one replica out of one would leave nobody.
  assert.ok(minReplicas >= 2 && maxReplicas > minReplicas)
})

test('Prometheus finds the second listener, and calls the job as the rules do', () => {
  const { selector, jobLabel, endpoints } = one('ServiceMonitor')['spec']
  const found = all('Service').filter(({ metadata }) => covers(selector.matchLabels, metadata.labels))
  assert.deepEqual(
    found.map(({ metadata }) => metadata.name),
    ['streamgauge-admin'],
  )
  assert.equal(found[0]?.metadata.labels?.[jobLabel], defaultSettings.job)
  const [{ port, interval, scrapeTimeout }] = endpoints
  assert.ok(found[0]?.['spec'].ports.some(({ name }: { name: string }) => name === port))
  assert.ok(Number.parseInt(interval, 10) <= defaultSettings.interval)
  assert.ok(Number.parseInt(scrapeTimeout, 10) <= Number.parseInt(interval, 10))
})

test('no label of ours is one that the operator gives to what it scrapes', () => {
  const given = new Set(['container', 'endpoint', 'instance', 'job', 'namespace', 'node', 'pod', 'service'])
  for (const { name, labels } of metricSpecs({ inputSize: true }))
    assert.deepEqual(
      labels.filter((label) => given.has(label)),
      [],
      name,
    )
})

test('a replica that drains is scraped until it ends', () => {
  assert.equal(one('Service', 'streamgauge-admin')['spec'].publishNotReadyAddresses, true)
  assert.equal(one('Service')['spec'].publishNotReadyAddresses, undefined)
})
