import { element } from './dom.ts'

/** Seconds with as many digits as tell something: 0.420, 12.34, 123.4. */
export function seconds(value: number): string {
  return value.toFixed(value < 10 ? 3 : value < 100 ? 2 : 1)
}

/** For people who glance: 0.4 s, 12.3 s, 2 min 5 s. */
export function span(ms: number): string {
  const s = ms / 1000
  if (s < 100) return `${s.toFixed(1)} s`
  return `${Math.floor(s / 60)} min ${Math.floor(s % 60)} s`
}

export function milliseconds(value: number): string {
  return value.toFixed(value < 10 ? 2 : value < 1000 ? 1 : 0)
}

export function rate(value: number): string {
  return value.toFixed(value < 100 ? 1 : 0)
}

export const count = (value: number): string => value.toLocaleString('en')

export function dollars(value: number): string {
  if (value === 0) return '$0'
  if (value < 0.0001) return '<$0.0001'
  return `$${value < 0.01 ? value.toPrecision(2) : value.toFixed(value < 1 ? 3 : 2)}`
}

export function percent(part: number, of: number): string {
  const share = (100 * part) / of
  return `${share > 0 && share < 10 ? share.toFixed(1) : share.toFixed(0)} %`
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
export const timeOfDay = (ms: number): string => clock.format(ms)

/** A figure's value as text, in the unit that its column has. */
export function figureText(value: number, unit: string, name: string): string {
  if (unit === 's') {
    if (name.includes('per_output_token') || name.includes('inter_chunk')) return milliseconds(value * 1000)
    return value < 0.001 ? value.toFixed(6) : seconds(value)
  }
  return unit === 'ratio' ? value.toFixed(2) : rate(value)
}

/** All digits of the log, so that who puts in the numbers finds the same. */
export function exactText(value: number, unit: string): string {
  return value.toFixed(unit === 's' ? 6 : unit === 'ratio' ? 4 : 3)
}

export const unitText = (unit: string, name: string): string =>
  unit === 's' && (name.includes('per_output_token') || name.includes('inter_chunk')) ? 'ms' : unit

/** A number with its exact value beside the rounded text. */
export const number = (value: number, text: string): HTMLDataElement => element('data', { value: String(value) }, text)
