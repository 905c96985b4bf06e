/** As many decimals as three or four figures need. */
function figures(value, decimals) {
  if (decimals !== undefined) return value.toFixed(decimals)
  const size = Math.abs(value)
  if (size === 0) return '0'
  const places = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4
  return String(Number(value.toFixed(places)))
}

const scaled = (base, names) => (value, decimals) => {
  let at = 0
  let rest = value
  while (Math.abs(rest) >= base && at < names.length - 1) {
    rest /= base
    at++
  }
  return `${figures(rest, decimals)}${names[at]}`
}

function seconds(value, decimals) {
  const size = Math.abs(value)
  if (size === 0) return '0 s'
  const [factor, name] =
    size < 1e-3
      ? [1e6, 'µs']
      : size < 1
        ? [1e3, 'ms']
        : size < 60
          ? [1, 's']
          : size < 3600
            ? [1 / 60, 'min']
            : [1 / 3600, 'hour']
  return `${figures(value * factor, decimals)} ${name}`
}

const formats = {
  s: seconds,
  percentunit: (value, decimals) => `${figures(value * 100, decimals)}%`,
  locale: (value, decimals) => value.toLocaleString('en', { maximumFractionDigits: decimals ?? 3 }),
  short: scaled(1000, ['', ' K', ' Mil', ' Bil']),
  reqps: scaled(1000, [' req/s', 'K req/s', 'M req/s']),
  currencyUSD: (value, decimals) => `$${scaled(1000, ['', 'K', 'M'])(value, decimals)}`,
  bytes: scaled(1024, [' B', ' KiB', ' MiB', ' GiB', ' TiB']),
}

/** A value in one of Grafana's units. */
export function format(unit, value, decimals) {
  if (value === null || value === undefined) return '-'
  const suffix = /^suffix:(.*)$/.exec(unit ?? '')
  if (suffix !== null) return `${figures(value, decimals)}${suffix[1]}`
  return (formats[unit] ?? formats.short)(value, decimals)
}

/** Of Grafana's classic palette, dark. */
export const palette = [
  '#73bf69',
  '#f2cc0c',
  '#8ab8ff',
  '#ff780a',
  '#f2495c',
  '#5794f2',
  '#b877d9',
  '#705da0',
  '#37872d',
  '#fade2a',
  '#447ebc',
  '#c15c17',
  '#890f02',
  '#0a437c',
  '#6d1f62',
  '#584477',
  '#b7dbab',
  '#f4d598',
  '#70dbed',
  '#f9ba8f',
  '#f29191',
  '#82b5d8',
  '#e5a8e2',
  '#aea2e0',
  '#629e51',
  '#e5ac0e',
  '#64b0c8',
  '#e0752d',
  '#bf1b00',
  '#0a50a1',
]

/** Colours that dashboards name. */
export const named = {
  text: '#ccccdc',
  green: '#73bf69',
  yellow: '#fade2a',
  orange: '#ff9830',
  red: '#f2495c',
  blue: '#5794f2',
  purple: '#b877d9',
  'light-purple': '#ca95e5',
  'light-blue': '#8ab8ff',
  'light-red': '#ff7383',
  'dark-red': '#c4162a',
  'dark-orange': '#fa6400',
}

export function element(tag, className, ...children) {
  const made = document.createElement(tag)
  if (className) made.className = className
  made.append(...children)
  return made
}
