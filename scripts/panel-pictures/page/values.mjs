import { element, format, named } from './units.mjs'

const measure = document.createElement('canvas').getContext('2d')

/** The largest size at which a text fits. */
function fitting(text, width, height, most = 200) {
  measure.font = '500 100px "DejaVu Sans", sans-serif'
  return Math.max(10, Math.min(most, height / 1.2, (100 * width) / measure.measureText(text).width))
}

/** Columns of the grid in which cells come nearest to squares. */
function columnsFor(count, width, height) {
  let best = { columns: 1, side: 0 }
  for (let columns = 1; columns <= count; columns++) {
    const side = Math.min(width / columns, height / Math.ceil(count / columns))
    if (side > best.side) best = { columns, side }
  }
  return best.columns
}

/** A panel of single values. */
export function drawValues(body, panel) {
  const { unit, decimals, thresholds } = panel.fieldConfig.defaults
  const all = panel.answers.flatMap(({ series }) => series)
  if (all.length === 0) return false
  const grid = element('div', 'values')
  body.append(grid)
  const columns = columnsFor(all.length, grid.clientWidth, grid.clientHeight)
  grid.style.gridTemplateColumns = `repeat(${columns}, 1fr)`
  const [width, height] = [grid.clientWidth / columns - 20, grid.clientHeight / Math.ceil(all.length / columns) - 12]
  const withNames = panel.options.textMode !== 'value'
  const longest = (texts) => texts.reduce((one, another) => (another.length > one.length ? another : one))
  const texts = all.map(({ value }) => format(unit, value, decimals))
  const names = all.map(({ name }) => name)
  const wide = withNames && width / height > 2.5
  const title = withNames ? fitting(longest(names), wide ? width * 0.6 : width, wide ? height : height * 0.3, 30) : 0
  const size = fitting(longest(texts), wide ? width * 0.35 : width, wide ? height : height - title * 1.2)
  for (const [at, { value }] of all.entries()) {
    const step = thresholds.steps.findLast((one) => one.value === null || value >= one.value)
    const number = element('b', '', texts[at])
    number.style.fontSize = `${size}px`
    number.style.color = named[step.color]
    const name = element('span', '', names[at])
    name.style.fontSize = `${Math.min(title, size * 0.7)}px`
    grid.append(element('div', wide ? 'value wide' : 'value', ...(withNames ? [name] : []), number))
  }
  return true
}
