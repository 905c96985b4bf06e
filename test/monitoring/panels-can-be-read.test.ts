import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboards, type PanelModel, panelsOf, readExpression } from '../helpers/promql.ts'

// Each of these was seen in a picture (npm run pictures) before it was written down.

const all = dashboards.flatMap((dashboard) => panelsOf(dashboard))
const faultsOf = (isWrong: (panel: PanelModel) => boolean): string[] =>
  all.filter(isWrong).map(({ title }) => title as string)

test('a row of panels is full: no hole, nothing ragged', () => {
  for (const { title, panels } of dashboards) {
    for (const y of new Set(panels.map(({ gridPos }) => gridPos.y))) {
      const row = panels.filter(({ gridPos }) => gridPos.y === y)
      const width = row.reduce((sum, { gridPos }) => sum + gridPos.w, 0)
      assert.equal(width, 24, `${title}: ${row.map((panel) => panel.title).join(', ')}`)
      assert.equal(new Set(row.map(({ gridPos }) => gridPos.h)).size, 1, `${title}: heights at ${y}`)
    }
  }
})

test('dozens of lines have a sorted table beside the plot', () => {
  const perModel = (panel: PanelModel): boolean =>
    panel.type === 'timeseries' &&
    (panel.targets ?? []).some(({ legendFormat = '' }) => legendFormat.includes('{{model}}'))
  assert.ok(all.filter(perModel).length >= 12)
  const isPlain = ({ options, gridPos }: PanelModel): boolean =>
    options?.legend?.displayMode !== 'table' ||
    options.legend.placement !== 'right' ||
    options.legend.sortBy === undefined ||
    gridPos.w < 12
  assert.deepEqual(
    faultsOf((panel) => perModel(panel) && isPlain(panel)),
    [],
  )
})

test('numbers that are told apart by a name show it', () => {
  const named = ({ type, targets = [] }: PanelModel): boolean =>
    type === 'stat' && targets.some(({ legendFormat }) => legendFormat !== undefined)
  assert.deepEqual(
    faultsOf((panel) => named(panel) && panel.options?.textMode !== 'value_and_name'),
    [],
  )
})

test('a logarithmic scale does not begin at zero', () => {
  assert.deepEqual(
    faultsOf(({ fieldConfig }) => {
      const { min, custom } = fieldConfig?.defaults ?? {}
      return custom?.scaleDistribution?.type === 'log' && min !== undefined
    }),
    [],
  )
})

test('lines of one panel are of one unit, which no legend has to name', () => {
  const inSeconds = (expr: string): boolean =>
    / \/ /.test(expr) ||
    readExpression(expr.replaceAll(/\$\w+/g, '1m')).metrics.every((name) => /_seconds(_bucket)?$/.test(name))
  assert.deepEqual(
    faultsOf(({ type, targets = [] }) => {
      if (type !== 'timeseries') return false
      const legends = targets.map(({ legendFormat = '' }) => legendFormat)
      return (
        legends.some((legend) => /second|bytes/.test(legend)) ||
        new Set(targets.map(({ expr }) => inSeconds(expr))).size > 1
      )
    }),
    [],
  )
})

test('what is counted has no decimals', () => {
  const isCounted = ({ fieldConfig }: PanelModel): boolean => fieldConfig?.defaults.unit === 'locale'
  assert.ok(all.some(isCounted))
  assert.deepEqual(
    faultsOf((panel) => isCounted(panel) && panel.fieldConfig?.defaults.decimals !== 0),
    [],
  )
})

test('a table that is sorted upwards has no rows without that value: they would come first', () => {
  const sorted = all.flatMap(({ title, options, transformations = [] }) =>
    (options?.sortBy ?? []).map(({ displayName, desc }) => ({ title, displayName, desc, transformations })),
  )
  assert.ok(sorted.length >= 5)
  for (const { title, displayName, desc, transformations } of sorted) {
    const kept = JSON.stringify(transformations.find(({ id }) => id === 'filterByValue')?.options['filters'] ?? [])
    assert.ok(desc || kept.includes(`"fieldName":${JSON.stringify(displayName)}`), title)
  }
})

test('tables leave out and order by the names that fields have before they are renamed', () => {
  const tables = all.filter(({ type }) => type === 'table')
  assert.ok(tables.length >= 6)
  for (const { title, transformations = [] } of tables) {
    const {
      excludeByName = {},
      renameByName = {},
      indexByName = {},
    } = transformations.find(({ id }) => id === 'organize')?.options ?? {}
    const shown = new Set(Object.values(renameByName))
    const used = [...Object.keys(excludeByName), ...Object.keys(indexByName)]
    assert.deepEqual(
      used.filter((name) => shown.has(name)),
      [],
      title,
    )
    for (const name of Object.keys(renameByName)) assert.ok(name in indexByName, `${title} does not place ${name}`)
  }
})
