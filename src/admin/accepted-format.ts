import type { Format } from '../report/exposition-text.ts'

interface Accepted {
  readonly type: string
  readonly version: string | undefined
  readonly quality: number
}

function readAccept(header: string): Accepted[] {
  return header.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    const value = (name: string): string | undefined =>
      parameters.find((parameter) => parameter.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
    const quality = Number(value('q') ?? '1')
    return { type: type.toLowerCase(), version: value('version'), quality: Number.isFinite(quality) ? quality : 0 }
  })
}

/**
 * The exposition format for an `Accept` header: OpenMetrics where it is asked for by name, in a version that is ours, and text is not liked
 * better. Everybody else, also who accepts neither, gets the text format: a browser and curl can show it.
 */
export function acceptedFormat(accept: string | undefined): Format {
  const ranges = readAccept(accept ?? '')
  const best = (wanted: (range: Accepted) => boolean): number =>
    ranges.reduce((quality, range) => (wanted(range) ? Math.max(quality, range.quality) : quality), 0)
  const openmetrics = best(
    ({ type, version }) =>
      type === 'application/openmetrics-text' && (version === undefined || version === '1.0.0' || version === '0.0.1'),
  )
  const text = best(({ type, version }) => type === 'text/plain' && (version === undefined || version === '0.0.4'))
  return openmetrics > 0 && openmetrics >= text ? 'openmetrics' : 'text'
}
