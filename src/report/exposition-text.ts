/** The two text formats that Prometheus reads: 0.0.4 and OpenMetrics 1.0.0. */
export type Format = 'text' | 'openmetrics'

export const contentTypes: Readonly<Record<Format, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}

const special = /[\\\n"]/g
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '"': '\\"' }
const loneSurrogate = /\p{Surrogate}/gu

export function escapeLabel(value: string): string {
  return value.replace(special, (character) => escapes[character] as string).replace(loneSurrogate, '\u{fffd}')
}

/** In the text format a quote stands as it is, in OpenMetrics it is escaped. */
export function escapeHelp(help: string, format: Format): string {
  return format === 'openmetrics' ? escapeLabel(help) : help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

export const labelPair = (name: string, value: string): string => `${name}="${escapeLabel(value)}"`

export const labelText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => labelPair(name, value))
    .join(',')

export function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}

/**
 * A bucket's bound as Go writes it (`1.0`, `0.0001`, `5e-05`, `1e+06`): Prometheus 3 rewrites bounds to this form when it scrapes, Prometheus 2
 * stores what it gets. Written so from the start, one rule works with both.
 */
export function boundText(bound: number): string {
  if (!Number.isFinite(bound)) return numberText(bound)
  const [digits, power] = bound.toExponential().split('e') as [string, string]
  const exponent = Number(power)
  if (exponent < -4 || exponent >= 6) {
    return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  }
  const plain = String(bound)
  return plain.includes('.') ? plain : `${plain}.0`
}
