import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commands } from '../../src/cli/commands.ts'
import { overrides } from '../../src/config/overrides.ts'
import { figures } from '../../src/measurement/figures.ts'
import { operationOf, routeOf } from '../../src/proxy/route.ts'
import { metricSpecs, prefix } from '../../src/report/metric-list.ts'
import { pages, tableRows } from '../helpers/markdown.ts'
import { readSource, repository } from '../helpers/repository.ts'

const scripts = Object.keys((JSON.parse(readSource('package.json')) as { scripts: object }).scripts)
const metrics = new Set(metricSpecs({ inputSize: true }).map(({ name }) => name))
const optionsOf = new Map<string, Set<string>>()
for (const entry of commands) {
  const { options } = await entry.load()
  optionsOf.set(entry.name, new Set(['help', 'version', ...options.map(({ name }) => name)]))
}

/** Code inside lines, without what stands in fenced blocks. */
const codeIn = (page: string): string[] =>
  [
    ...readSource(page)
      .replace(/^```[\s\S]*?^```$/gm, '')
      .matchAll(/`([^`\n]+)`/g),
  ].map((match) => match[1] as string)

for (const page of pages) {
  test(`${page}: commands and their options`, () => {
    for (const code of codeIn(page)) {
      const [, name, rest] = /^(?:npx )?streamgauge ([a-z-]+)(.*)$/.exec(code) ?? []
      if (name === undefined) continue
      const known = optionsOf.get(name)
      assert.ok(known, `there is no command ${name}`)
      const options = [...(rest as string).matchAll(/--([a-z-]+)/g)].map(([, option]) => option as string)
      assert.deepEqual(
        options.filter((option) => !known.has(option)),
        [],
        code,
      )
    }
  })

  test(`${page}: npm scripts, variables, metrics and files`, () => {
    const text = readSource(page)
    const named = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name]) => name as string)
    assert.deepEqual(
      named(/\bnpm run (?:-[a-z-]+ )*([a-z]+(?::[a-z]+)*)/g).filter((name) => !scripts.includes(name)),
      [],
    )
    const variables = new Set(['STREAMGAUGE_REQUIRE_TOOLS', ...overrides.map(({ variable }) => variable)])
    assert.deepEqual(
      named(/\b(STREAMGAUGE_[A-Z_]*[A-Z])\b/g).filter((name) => !variables.has(name)),
      [],
    )
    const series = named(new RegExp(`\\b${prefix}([a-z_]+)`, 'g')).map((name) =>
      name.replace(/_(bucket|count|sum)$/, ''),
    )
    assert.deepEqual(
      series.filter((name) => !metrics.has(name)),
      [],
    )
    const files = codeIn(page).filter((code) => /^(src|test|scripts|config|docs|grafana|deploy)\/[\w./-]+$/.test(code))
    assert.deepEqual(
      files.filter((file) => !existsSync(join(repository, file))),
      [],
    )
  })
}

test('figures, metrics and reasons that measuring names are there', () => {
  const known = new Set([...figures.map(({ name }) => name), ...metrics])
  const named = codeIn('docs/measuring.md')
    .map((code) => code.replace(new RegExp(`^${prefix}`), '').replace(/\{.*$/, ''))
    .filter((code) => /_(seconds|total|per_second|token)$/.test(code) && !code.includes('.'))
  assert.deepEqual(
    named.filter((name) => !known.has(name) && name !== 'first_token'),
    [],
  )
})

test('the variables of tools lead to a generation with the name of the tool', () => {
  for (const [tool, set, path] of tableRows('README.md', 'tool', 3) as [string, string, string][]) {
    const route = routeOf('POST', path.replaceAll('`', ''), new Set())
    assert.ok(route.kind === 'generation', tool)
    assert.equal(route.app, set.match(/@([a-z-]+)/)?.[1], tool)
    assert.ok(operationOf(route.path), tool)
  }
})

test('getting started sets the same variables as the README', () => {
  const variables = (page: string) =>
    new Set(
      [...readSource(page).matchAll(/\b([A-Z]+_(?:BASE_URL|API_BASE|HOST|BASE_PATH)=\S*?)[`\s]/g)].map(
        ([, set]) => set,
      ),
    )
  const there = variables('docs/getting-started.md')
  const missing = [...variables('README.md')].filter((set) => !there.has(set) && !set?.includes('@my-app'))
  assert.deepEqual(missing, [])
})
