import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { repository } from './repository.ts'

/** An object of Kubernetes. Its own fields are as the API has them: tests look at them by name. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: the schemas say what is in it.
  [field: string]: any
}

interface Generator {
  readonly name: string
  readonly files: readonly string[]
  readonly behavior?: 'create' | 'replace'
}

interface Kustomization {
  readonly apiVersion: string
  readonly kind: 'Kustomization' | 'Component'
  readonly namespace?: string
  readonly resources?: readonly string[]
  readonly components?: readonly string[]
  readonly configMapGenerator?: readonly Generator[]
  readonly generatorOptions?: {
    readonly disableNameSuffixHash?: boolean
    readonly labels?: Record<string, string>
    readonly annotations?: Record<string, string>
  }
  readonly patches?: readonly { target: { kind: string; name?: string }; patch: string }[]
  readonly labels?: readonly { pairs: Record<string, string> }[]
  readonly images?: readonly { name: string; newName?: string; newTag?: string }[]
}

const versions = { Kustomization: 'kustomize.config.k8s.io/v1beta1', Component: 'kustomize.config.k8s.io/v1alpha1' }
const known = new Set(
  'apiVersion kind namespace resources components configMapGenerator generatorOptions patches labels images'.split(' '),
)

/**
 * What `kubectl kustomize` makes of a folder, as far as our files need it; what is not known here is refused. No package of npm or of Debian brings
 * a Kustomize that knows components; where one is installed, a test compares the two.
 */
export function renderKustomization(folder: string): Manifest[] {
  const hashed = new Set<Manifest>()
  const objects = accumulate(folder, [], 'Kustomization', hashed)
  const renamed = new Map(
    [...hashed].map((object) => [object.metadata.name, `${object.metadata.name}-${hashOf(object)}`]),
  )
  for (const object of hashed) object.metadata.name = renamed.get(object.metadata.name) as string
  for (const { spec } of objects.filter(({ kind }) => kind === 'Deployment'))
    for (const { configMap } of spec.template.spec.volumes ?? [])
      if (renamed.has(configMap?.name)) configMap.name = renamed.get(configMap.name)
  return objects
}

function accumulate(
  folder: string,
  before: Manifest[],
  kind: Kustomization['kind'],
  hashed: Set<Manifest>,
): Manifest[] {
  const file: Kustomization = parse(readFileSync(join(repository, folder, 'kustomization.yaml'), 'utf8'))
  const strange = Object.keys(file).filter((key) => !known.has(key))
  if (strange.length > 0) throw new Error(`${folder}: teach this helper ${strange.join(', ')}`)
  if (file.kind !== kind || file.apiVersion !== versions[kind]) throw new Error(`${folder} is no ${kind}`)
  let objects = [...before]
  for (const path of file.resources ?? []) {
    const whole = join(folder, path)
    objects.push(
      ...(statSync(join(repository, whole)).isDirectory()
        ? accumulate(whole, [], 'Kustomization', hashed)
        : readManifests(folder, path)),
    )
  }
  for (const path of file.components ?? []) objects = accumulate(join(folder, path), objects, 'Component', hashed)
  for (const generator of file.configMapGenerator ?? []) generate(folder, file, generator, objects, hashed)
  transform(file, objects)
  const ids = objects.map((object) => `${object.kind} ${object.metadata.name}`)
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at)
  if (twice.length > 0) throw new Error(`${folder}: twice: ${twice.join(', ')}`)
  return objects
}

/** A file is read only in or below the folder of its kustomization. */
function read(folder: string, path: string): string {
  const whole = join(folder, path)
  if (relative(folder, whole).startsWith('..')) throw new Error(`${folder}: ${path} is outside of it`)
  return readFileSync(join(repository, whole), 'utf8')
}

function readManifests(folder: string, path: string): Manifest[] {
  const documents = parseAllDocuments(read(folder, path), { uniqueKeys: true })
  if (!Array.isArray(documents)) throw new Error(`${folder}/${path} is empty`)
  return documents.map((document) => {
    if (document.errors.length > 0) throw document.errors[0]
    return document.toJS() as Manifest
  })
}

function generate(
  folder: string,
  { generatorOptions: options = {} }: Kustomization,
  generator: Generator,
  objects: Manifest[],
  hashed: Set<Manifest>,
): void {
  const data = Object.fromEntries(
    generator.files.map((path) => [path.slice(path.lastIndexOf('/') + 1), read(folder, path)]),
  )
  const there = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === generator.name)
  if (generator.behavior === 'replace') {
    if (there === undefined) throw new Error(`${folder}: there is no ${generator.name} to replace`)
    there['data'] = data
    return
  }
  const { labels, annotations } = options
  const metadata = {
    name: generator.name,
    ...(labels && { labels: { ...labels } }),
    ...(annotations && { annotations }),
  }
  const made: Manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }
  objects.push(made)
  if (options.disableNameSuffixHash !== true) hashed.add(made)
}

function transform(file: Kustomization, objects: readonly Manifest[]): void {
  for (const { target, patch } of file.patches ?? []) {
    const targets = objects.filter(
      ({ kind, metadata }) => kind === target.kind && (target.name === undefined || metadata.name === target.name),
    )
    if (targets.length === 0) throw new Error(`no object is patched by ${JSON.stringify(target)}`)
    for (const object of targets) for (const operation of parse(patch)) apply(object, operation)
  }
  for (const object of objects) {
    const { metadata } = object
    if (file.namespace !== undefined && object.kind !== 'Namespace') metadata.namespace = file.namespace
    for (const { pairs } of file.labels ?? []) metadata.labels = { ...metadata.labels, ...pairs }
    for (const container of object['spec']?.template?.spec?.containers ?? [])
      for (const { name, newName, newTag } of file.images ?? []) {
        const [was, tag] = container.image.split(':')
        if (was === name) container.image = `${newName ?? was}:${newTag ?? tag}`
      }
  }
}

/** JSON Patch (RFC 6902): `add` and `remove` of a member. */
function apply(object: Manifest, { op, path, value }: { op: string; path: string; value?: unknown }): void {
  const steps = (path.slice(1).split('/') as string[]).map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = steps.pop() as string
  // biome-ignore lint/suspicious/noExplicitAny: any member of any object.
  const parent = steps.reduce<any>((inner, step) => inner?.[step], object)
  if (parent === undefined || Array.isArray(parent)) throw new Error(`${path} cannot be patched here`)
  if (op === 'remove' && last in parent) delete parent[last]
  else if (op === 'add') parent[last] = value
  else throw new Error(`${op} ${path} cannot be done here`)
}

/** Kustomize's suffix: the first digits of a hash of the content, without those that could make words. */
function hashOf({ data }: Manifest): string {
  const sorted = Object.fromEntries(Object.entries(data as Record<string, string>).sort())
  // As Go writes JSON. The name is left empty there, whatever it is.
  const text = JSON.stringify({ data: sorted, kind: 'ConfigMap', name: '' }).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const digits: Readonly<Record<string, string>> = { 0: 'g', 1: 'h', 3: 'k', a: 'm', e: 't' }
  return createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 10)
    .replaceAll(/[013ae]/g, (digit) => digits[digit] as string)
}
