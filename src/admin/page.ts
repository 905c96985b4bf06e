import { createHash } from 'node:crypto'
import type { Recent, RecentExchange } from '../report/recent.ts'
import { html, type Markup } from './html.ts'

export interface PageFacts {
  readonly version: string
  /** Where apps reach the proxy, e.g. `http://127.0.0.1:8484`. */
  readonly proxyUrl: string
  /** In the order of the configuration: the first is the default. */
  readonly gateways: readonly string[]
}

/** Rows shown. */
const most = 100

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 80rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; text-align: left; border-bottom: 1px solid #8884; white-space: nowrap; }
td.number, th.number { text-align: right; }
div.wide { overflow-x: auto; }
`

/** No script, nothing from elsewhere, this one style. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const number = (value: number | undefined, digits: number): string => (value === undefined ? '' : value.toFixed(digits))

function row({ measurement: m, evaluation }: RecentExchange): Markup {
  const { figures } = evaluation
  return html`<tr>
<td>${new Date(m.identity.startedAt).toISOString().slice(11, 19)}</td>
<td>${m.identity.gateway}</td>
<td>${m.identity.app}</td>
<td>${m.identity.model || `${m.identity.method} ${m.identity.path}`}</td>
<td>${m.outcome}</td>
<td>${m.status ?? ''}</td>
<td class="number">${number(figures['time_to_first_token_seconds'], 3)}</td>
<td class="number">${number(figures['output_tokens_per_second'], 1)}</td>
<td class="number">${m.tokens?.output ?? ''}</td>
<td class="number">${number(figures['request_duration_seconds'], 3)}</td>
<td>${evaluation.flags.join(' ')}</td>
</tr>
`
}

/** The page at `/`: addresses and the last exchanges. Every name on it is text, whoever chose it. */
export function renderPage(facts: PageFacts, recent: Recent): string {
  const exchanges = recent.list().slice(0, most)
  const others = facts.gateways.slice(1)
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Streamgauge</title>
<style>${{ markup: style }}</style>
</head>
<body>
<h1>Streamgauge ${facts.version}</h1>
<p>Apps use this base_url: <code>${facts.proxyUrl}/v1</code>${facts.gateways[0] === undefined ? '' : ` (gateway ${facts.gateways[0]})`}</p>
${others.map((gateway) => html`<p>Gateway ${gateway}: <code>${facts.proxyUrl}/${gateway}/v1</code></p>\n`)}
<p>To tell an app by its name: <code>${facts.proxyUrl}/@my-app/v1</code></p>
<p><a href="metrics">Metrics</a> · <a href="healthz">Health</a> · <a href="readyz">Readiness</a></p>
<h2>Last exchanges</h2>
${exchanges.length === 0 ? html`<p>None yet.</p>` : ''}
<div class="wide"><table>
<thead><tr>
<th>Start (UTC)</th><th>Gateway</th><th>App</th><th>Model</th><th>Outcome</th><th>Status</th>
<th class="number">First token, s</th><th class="number">Tokens/s</th><th class="number">Tokens</th><th class="number">Duration, s</th><th>Flags</th>
</tr></thead>
<tbody>
${exchanges.map(row)}</tbody>
</table></div>
</body>
</html>
`
  return page.markup
}
