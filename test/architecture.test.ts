import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { test } from 'node:test'
import { readSource, repository } from './helpers/repository.ts'

/** Which rooms a room may import from. Everybody may import types from config. docs/architecture.md. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  measurement: [],
  wire: ['measurement'],
  stream: ['wire', 'measurement'],
  gateway: ['stream', 'measurement'],
  report: ['measurement'],
  proxy: ['gateway', 'stream', 'wire', 'measurement'],
  admin: ['report', 'measurement'],
  bench: ['gateway', 'stream', 'wire', 'measurement'],
  simulator: [],
  monitoring: ['measurement'],
  config: [],
}

/** Files and rooms that put the others together. */
const composing = ['main.ts', 'service.ts', 'cli']

/** Packages beyond Node's own modules. `type`: their types alone. Rooms that are not listed may use any. */
const packages: Readonly<Record<string, readonly string[]>> = {
  measurement: [],
  wire: [],
  stream: ['type undici'],
  simulator: [],
}

interface Import {
  readonly from: string
  readonly typesOnly: boolean
}

const sources = filesIn('src')

for (const file of sources) {
  test(`${file} imports only what its room may`, () => {
    const room = roomOf(file)
    const faults = importsOf(file).flatMap(({ from, typesOnly }) => faultOf(file, room, from, typesOnly))
    assert.deepEqual(faults, [])
  })
}

function faultOf(file: string, room: string, from: string, typesOnly: boolean): string[] {
  if (from.startsWith('node:')) return []
  if (!from.startsWith('.')) {
    const allowed = packages[room]
    const name = from.match(/^(@[^/]+\/)?[^/]+/)?.[0] as string
    if (allowed === undefined || allowed.includes(name) || (typesOnly && allowed.includes(`type ${name}`))) return []
    return [`${room} may not use the package ${from}${typesOnly ? ' (types)' : ''}`]
  }
  if (!from.endsWith('.ts')) return [`${from} has no extension .ts`]
  const target = roomOf(posix.join(dirname(file), from))
  if (target === room || composing.includes(room)) return []
  if (target === 'config' && typesOnly) return []
  return mayImport[room]?.includes(target) ? [] : [`${room} may not import ${target} (${from})`]
}

test('every room is in the table', () => {
  const rooms = new Set(sources.map(roomOf))
  const unknown = [...rooms].filter((room) => !(room in mayImport) && !composing.includes(room))
  assert.deepEqual(unknown, [])
})

test('no two files import each other, however long the way', () => {
  const graph = new Map(
    sources.map((file) => {
      const inner = importsOf(file).filter(({ from, typesOnly }) => from.startsWith('.') && !typesOnly)
      return [file, inner.map(({ from }) => posix.join(dirname(file), from))]
    }),
  )
  const done = new Set<string>()
  const visit = (file: string, way: readonly string[]): void => {
    assert.ok(!way.includes(file), `a circle: ${[...way, file].join(' → ')}`)
    if (done.has(file)) return
    for (const next of graph.get(file) ?? []) visit(next, [...way, file])
    done.add(file)
  }
  for (const file of sources) visit(file, [])
})

test('files are short', () => {
  const limits = { src: 220, bench: 220, scripts: 220, test: 320 }
  const long = Object.entries(limits).flatMap(([folder, limit]) =>
    filesIn(folder)
      .map((file) => ({ file, lines: readSource(file).split('\n').length - 1 }))
      .filter(({ lines }) => lines > limit),
  )
  assert.deepEqual(long, [])
})

test('names are kebab-case and say something', () => {
  const vague = /^(utils?|helpers?|common|misc|shared|lib)$/
  const faults = ['src', 'bench', 'scripts', 'test'].flatMap(filesIn).filter((file) => {
    const parts = file.replace(/(\.long)?(\.test)?\.(ts|mjs)$/, '').split('/')
    return parts.some(
      (part) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(part) || (vague.test(part) && !file.startsWith('test/helpers/')),
    )
  })
  assert.deepEqual(faults, [])
})

test('a test file is a sentence', () => {
  const short = filesIn('test').filter((file) => {
    const name = basename(file)
    return dirname(file) !== 'test' && name.endsWith('.test.ts') && (name.match(/-/g)?.length ?? 0) < 2
  })
  assert.deepEqual(short, [])
})

test('only main.ts ends the process', () => {
  const ending = sources.filter(
    (file) => file !== 'src/main.ts' && /\bprocess\.(exit|abort|kill)\(/.test(readSource(file)),
  )
  assert.deepEqual(ending, [])
})

test('nothing is exported as default', () => {
  assert.deepEqual(
    sources.filter((file) => /^export default\b/m.test(readSource(file))),
    [],
  )
})

test('what runs once a chunk says so', () => {
  const hotMethod = /^ {2}(?:readonly )?(push|onChunk|onResponseData)\b.*[{;]$|^ {2}(push|onChunk|onResponseData)\(/m
  const unmarked = sources.filter((file) => {
    const text = readSource(file)
    return ['wire', 'stream'].includes(roomOf(file)) && hotMethod.test(text) && !text.includes('HOT PATH: ')
  })
  assert.deepEqual(unmarked, [])
})

test('the hot path has no promises and no logging', () => {
  const slow = /\bawait\b|\basync\b|\bPromise\b|\.then\(|\bconsole\.|\blog(ger)?\.|\bDate\b/
  const faults = sources.flatMap((file) =>
    hotBodies(readSource(file)).flatMap((body) => {
      const found = slow.exec(body)
      return found === null ? [] : [`${file}: ${found[0]}`]
    }),
  )
  assert.deepEqual(faults, [])
})

/** The code below each `HOT PATH` comment, up to the line that closes it. */
function hotBodies(text: string): string[] {
  return text
    .split(/HOT PATH: /)
    .slice(1)
    .map((rest) => {
      const code = rest.slice(rest.indexOf('*/') + 2).replace(/^\n/, '')
      const indent = /^ */.exec(code)?.[0] ?? ''
      const end = code.search(new RegExp(`^${indent}\\}`, 'm'))
      return code.slice(0, end < 0 ? code.indexOf('\n') : end).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    })
}

function filesIn(folder: string): string[] {
  let names: string[]
  try {
    names = readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
  } catch {
    return []
  }
  return names
    .filter((name) => /\.(ts|mjs)$/.test(name) && !/^fixtures\b/.test(name))
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .sort()
}

/** `src/wire/x.ts` → `wire`, `src/main.ts` → `main.ts`. */
function roomOf(file: string): string {
  return file.split('/')[1] as string
}

function importsOf(file: string): Import[] {
  const text = readSource(file).replace(/^\s*\/\/.*$/gm, '')
  const statements = text.matchAll(/^(?:import|export)\s(?:([^'"`;]*?)\sfrom\s)?'([^']+)'/gm)
  const dynamic = text.matchAll(/\bimport\('([^']+)'\)/g)
  return [
    ...[...statements].map(([, names, from]) => ({ from: from as string, typesOnly: isTypesOnly(names ?? '') })),
    ...[...dynamic].map(([, from]) => ({ from: from as string, typesOnly: false })),
  ]
}

function isTypesOnly(names: string): boolean {
  if (names.startsWith('type ')) return true
  const inner = /^\{([^}]*)\}$/
    .exec(names.trim())?.[1]
    ?.split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  return inner?.every((name) => name.startsWith('type ')) ?? false
}
