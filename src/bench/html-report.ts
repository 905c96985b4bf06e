import type { BenchRun } from './bench-run.ts'
import { curves } from './html-curves.ts'
import { distributions } from './html-distributions.ts'
import { timelines } from './html-timelines.ts'
import type { Report } from './report.ts'
import type { Section } from './report-section.ts'
import { escaped } from './svg.ts'

const style = `
:root { color-scheme: light dark; --run: #2a6fbb; --warm: #c26a12; --grid: #8884; --good: #2e8b57; --bad: #c0392b }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem }
h1, h2, h3 { line-height: 1.2 } h2 { margin-top: 2.2em } figure { margin: 1em 0 } figcaption { font-weight: 600 }
.scroll { overflow-x: auto } table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap }
th, td { padding: .25em .8em .25em 0; text-align: right; border-bottom: 1px solid var(--grid) } th.text, td.text { text-align: left }
td.text { white-space: normal } .row { display: flex; flex-wrap: wrap; gap: 1rem } svg { max-width: 100%; height: auto }
svg text { font: 11px system-ui, sans-serif; fill: currentColor } .grid { stroke: var(--grid) }
.run { fill: var(--run); fill-opacity: .55 } .interval { stroke: var(--warm); stroke-width: 5; stroke-opacity: .55 } .median { stroke: var(--warm); stroke-width: 2.5 }
.cold { fill: none; stroke: currentColor; stroke-width: 1.5 } .wait { fill: var(--grid) } .wait-cold { fill: none; stroke: currentColor; stroke-width: .7 }
.generate { fill: var(--run); fill-opacity: .3 } .reason { fill: var(--warm); fill-opacity: .4 } .chunk { stroke: var(--run); stroke-width: .8 } .failed { stroke: var(--bad); stroke-width: 2.5 }
.curve { fill: none; stroke: var(--run); stroke-width: 2 } .point { fill: var(--run) } .knee { fill: var(--warm); stroke: currentColor } .failed-point { fill: var(--bad) }
`

/** The whole report as one page: no script, nothing loaded from anywhere. */
export function htmlReport(run: BenchRun, { cells, sections }: Report): string {
  const loads = curves(cells, run.givenUp)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Streamgauge bench, ${escaped(run.startedAt)}</title>
<style>${style}</style>
</head>
<body>
<h1>Streamgauge bench</h1>
<p>${escaped(run.startedAt)}, ${run.exchanges.length} exchanges, definitions ${escaped(run.definitions)}${run.interrupted ? ', stopped before its end' : ''}.</p>
${sections.map(sectionMarkup).join('\n')}
<h2>Distributions</h2>
<p>Dots are kept runs, the bar is the 95 % interval of the median, the hollow circle is the cold run.</p>
${distributions(cells)}
${loads === '' ? '' : `<h2>Under load</h2>\n<p>The marked point is the knee.</p>\n${loads}`}
<h2>Streams</h2>
<p>Grey: waiting for the first token. Orange: reasoning. Blue: generating, with a tick for every chunk. An outline is the cold run, a red end a failure.</p>
${timelines(cells)}
</body>
</html>
`
}

function sectionMarkup({ title, table, notes }: Section): string {
  const parts = [`<h2>${escaped(title)}</h2>`]
  if (table !== undefined && table.rows.length > 0) {
    const name = (index: number): string => (index < table.texts ? ' class="text"' : '')
    const head = table.head.map((cell, index) => `<th scope="col"${name(index)}>${escaped(cell)}</th>`).join('')
    const rows = table.rows.map(
      (row) => `<tr>${row.map((cell, index) => `<td${name(index)}>${escaped(cell)}</td>`).join('')}</tr>`,
    )
    parts.push(
      `<div class="scroll"><table><thead><tr>${head}</tr></thead>\n<tbody>${rows.join('\n')}</tbody></table></div>`,
    )
  }
  if (notes.length > 0) parts.push(`<ul>${notes.map((note) => `<li>${escaped(note)}</li>`).join('')}</ul>`)
  return parts.join('\n')
}
