import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { type Manifest, renderKustomization } from '../helpers/kustomize.ts'
import { repository } from '../helpers/repository.ts'

/** Components came with Kustomize 3.7, `labels` with 4.1; Debian 12's kubectl has 2.0. */
const kubectl = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' })
const usable = Number(/Kustomize Version: v(\d+)/.exec(kubectl.stdout ?? '')?.[1] ?? 0) >= 5

for (const folder of ['deploy/kubernetes/base', 'deploy/kubernetes/overlays/example']) {
  test(`kubectl makes of ${folder} what our tests look at, without a warning`, {
    skip: !usable && 'no kubectl with Kustomize 5 is installed',
    timeout: 60_000,
  }, () => {
    const done = spawnSync('kubectl', ['kustomize', join(repository, folder)], {
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
    })
    assert.deepEqual([done.status, done.stderr], [0, ''])
    const made = parseAllDocuments(done.stdout).map((document) => document.toJS() as Manifest)
    assert.deepEqual(byName(made), byName(renderKustomization(folder)))
  })
}

const byName = (objects: readonly Manifest[]) =>
  Object.fromEntries(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]))
