import { drawHeat } from './heat.mjs'
import { drawLines } from './lines.mjs'
import './palette.mjs'
import { drawTable } from './table.mjs'
import { element } from './units.mjs'
import { drawValues } from './values.mjs'

const rowHeight = 38
const gap = 8
const kinds = { timeseries: drawLines, heatmap: drawHeat, stat: drawValues, table: drawTable }
const clock = (time) => new Date(time * 1000).toISOString().slice(11, 16)

/** Draws a dashboard; gives the titles of panels that had nothing to show. */
window.draw = ({ title, panels, view }) => {
  const [head, main] = [document.querySelector('header'), document.querySelector('main')]
  head.replaceChildren(
    element('b', '', title),
    element('span', '', `${clock(view.from)} to ${clock(view.to)} UTC`),
    ...['Gateway', 'Model', 'Operation', 'App'].map((name) => element('span', '', `${name}: All`)),
  )
  main.replaceChildren()
  const column = (view.width - 16) / 24
  const empty = []
  for (const panel of panels) {
    const { x, y, w, h } = panel.gridPos
    const box = element('section', panel.type === 'row' ? 'row' : 'panel')
    Object.assign(box.style, {
      left: `${x * column}px`,
      top: `${y * rowHeight}px`,
      width: `${w * column - gap}px`,
      height: `${h * rowHeight - gap}px`,
    })
    main.append(box)
    if (panel.type === 'row') {
      box.append(panel.title)
      continue
    }
    const body = element('div', 'body')
    box.append(element('h2', '', panel.title), body)
    if (kinds[panel.type](body, panel, view)) continue
    empty.push(panel.title)
    body.replaceChildren(element('div', 'empty', panel.fieldConfig.defaults.noValue ?? 'No data'))
  }
  main.style.height = `${Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h)) * rowHeight}px`
  return empty
}
