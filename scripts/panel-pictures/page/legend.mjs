import { element, format } from './units.mjs'

const last = ({ values }) => values.findLast((value) => value !== null) ?? null

function mark({ colour }) {
  const line = element('i')
  line.style.background = colour
  return line
}

/** The names below the plot, or in a table beside it; what does not fit would have to be scrolled. */
export function drawLegend(body, panel, all) {
  const { unit } = panel.fieldConfig.defaults
  const { displayMode, placement, width, sortBy, sortDesc } = panel.options.legend
  const said = (one) => format(unit, last(one))
  if (displayMode !== 'table') {
    const item = (one) => element('span', '', mark(one), one.name, element('span', '', `Last *: ${said(one)}`))
    body.append(element('div', 'legend', ...all.map(item)))
    return
  }
  const order = sortBy === undefined ? all : all.toSorted((a, b) => (last(a) - last(b)) * (sortDesc ? -1 : 1))
  const row = (one) => element('tr', '', element('td', '', mark(one), one.name), element('td', 'number', said(one)))
  const head = element('tr', '', element('td', '', 'Name'), element('td', 'number', 'Last *'))
  const legend = element('div', 'legend', element('table', '', head, ...order.map(row)))
  if (placement === 'right') {
    body.classList.add('beside')
    legend.style.width = `${width ?? 240}px`
  }
  body.append(legend)
}
