import { element, format } from './units.mjs'

/** Rows joined by their labels; columns as the panel's transformations name, leave out and order them. */
export function drawTable(body, panel) {
  const { answers, transformations, options, fieldConfig } = panel
  const { excludeByName, renameByName, indexByName = {} } = transformations.find(({ id }) => id === 'organize').options
  const rows = new Map()
  for (const { refId, series } of answers)
    for (const { metric, value } of series) {
      const key = JSON.stringify(Object.entries(metric).sort())
      const valueName = answers.length === 1 ? 'Value' : `Value #${refId}`
      rows.set(key, { ...metric, ...rows.get(key), [valueName]: value })
    }
  if (rows.size === 0) return false
  const labels = [
    ...new Set(answers.flatMap(({ series }) => series.flatMap(({ metric }) => Object.keys(metric)))),
  ].sort()
  const values = answers.map(({ refId }) => (answers.length === 1 ? 'Value' : `Value #${refId}`))
  const columns = [...labels, ...values]
    .filter((name) => excludeByName[name] !== true)
    .sort((one, another) => (indexByName[one] ?? 0) - (indexByName[another] ?? 0))
  const titleOf = (name) => renameByName[name] ?? name
  const needed = transformations
    .filter(({ id }) => id === 'filterByValue')
    .flatMap(({ options: { filters } }) => filters.map(({ fieldName }) => fieldName))
    .map((title) => columns.find((name) => titleOf(name) === title))
  const ordered = [...rows.values()].filter((row) => needed.every((name) => row[name] !== undefined))
  for (const { displayName, desc } of options.sortBy ?? []) {
    const by = columns.find((name) => titleOf(name) === displayName)
    ordered.sort((one, another) => (one[by] ?? Number.NEGATIVE_INFINITY) - (another[by] ?? Number.NEGATIVE_INFINITY))
    if (desc) ordered.reverse()
  }
  const own = (name, id) =>
    fieldConfig.overrides
      .find(({ matcher }) => matcher.options === titleOf(name))
      ?.properties.find((property) => property.id === id)?.value ?? fieldConfig.defaults[id]
  const cell = (row, name) =>
    values.includes(name)
      ? element(
          'td',
          'number',
          row[name] === undefined ? '' : format(own(name, 'unit'), row[name], own(name, 'decimals')),
        )
      : element('td', '', row[name] ?? '')
  body.append(
    element(
      'table',
      '',
      element('tr', '', ...columns.map((name) => element('th', values.includes(name) ? 'number' : '', titleOf(name)))),
      ...ordered.map((row) => element('tr', '', ...columns.map((name) => cell(row, name)))),
    ),
  )
  return true
}
