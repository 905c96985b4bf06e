import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { schemaFaults } from '../helpers/kubernetes-schemas.ts'
import { type Manifest, renderKustomization } from '../helpers/kustomize.ts'
import { readSource, repository } from '../helpers/repository.ts'

const folder = 'deploy/kubernetes'
const base = renderKustomization(`${folder}/base`)
const example = renderKustomization(`${folder}/overlays/example`)
const kindsOf = (objects: readonly Manifest[]) => objects.map(({ kind }) => kind).sort()

test('the base runs the proxy in any cluster; the example adds monitoring, autoscaling and a network policy', () => {
  const always = ['ConfigMap', 'Deployment', 'PodDisruptionBudget', 'Service', 'Service', 'ServiceAccount']
  assert.deepEqual(kindsOf(base), always)
  const dashboards = ['ConfigMap', 'ConfigMap', 'ConfigMap', 'ConfigMap']
  const added = ['HorizontalPodAutoscaler', 'Namespace', 'NetworkPolicy', 'PrometheusRule', 'ServiceMonitor']
  assert.deepEqual(kindsOf(example), [...always, ...dashboards, ...added].sort())
})

for (const [name, objects] of Object.entries({ base, example }))
  for (const object of objects)
    test(`${name}: ${object.kind} ${object.metadata.name} is as its schema says, with no field that it lacks`, () => {
      assert.deepEqual(schemaFaults(object), [])
    })

const deployment = base.find(({ kind }) => kind === 'Deployment') as Manifest
for (const [what, spoil, expected] of [
  ['a wrong type', (copy: Manifest) => (copy['spec'].replicas = 'two'), /data\/spec\/replicas must be/],
  ['a field that is missing', (copy: Manifest) => delete copy['spec'].selector, /required property.*selector/],
  [
    'a field that is misspelt',
    (copy: Manifest) => (copy['spec'].strategy.rollingUpdate.maxUnavailble = 0),
    /^unknown field \/spec\/strategy\/rollingUpdate\/maxUnavailble$/,
  ],
  [
    'a field at the wrong place',
    (copy: Manifest) => (copy['spec'].template.spec.containers[0].terminationGracePeriodSeconds = 9),
    /^unknown field \/spec\/template\/spec\/containers\/0\/terminationGracePeriodSeconds$/,
  ],
] as const)
  test(`the check finds ${what}`, () => {
    const copy = structuredClone(deployment)
    spoil(copy)
    const faults = schemaFaults(copy)
    assert.equal(faults.length, 1)
    assert.match(faults[0] as string, expected)
  })

test('every file belongs to a kustomization, or says that it is for something else', () => {
  const files = readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((name) => /\.(ya?ml|json)$/.test(name) && !name.endsWith('kustomization.yaml'))) {
    let place = dirname(file)
    while (!existsSync(join(repository, folder, place, 'kustomization.yaml'))) place = dirname(place)
    const { resources = [], configMapGenerator = [] } = parse(readSource(`${folder}/${place}/kustomization.yaml`))
    const used = [...resources, ...configMapGenerator.flatMap((generator: { files: string[] }) => generator.files)]
    const named = used.some((path) => join(place, path) === file)
    assert.ok(named || /not for kubectl/.test(readSource(`${folder}/${file}`)), file)
  }
})

test('what is applied fits: 1 MiB an object, and 256 KiB as the annotation in which kubectl keeps it', () => {
  for (const object of example) {
    const bytes = Buffer.byteLength(JSON.stringify(object))
    assert.ok(bytes < 256 * 1024, `${object.kind} ${object.metadata.name}: ${bytes} bytes`)
  }
})

test('the image is that of the package, and an overlay names its registry', () => {
  const { version } = JSON.parse(readSource('package.json')) as { version: string }
  const imageOf = (objects: readonly Manifest[]): string =>
    objects.find(({ kind }) => kind === 'Deployment')?.['spec'].template.spec.containers[0].image
  assert.equal(imageOf(base), `streamgauge:${version}`)
  assert.equal(imageOf(example), `registry.example.com/streamgauge:${version}`)
})
