/** Text from outside, inside markup. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

export interface Scale {
  (value: number): number
  readonly ticks: readonly number[]
}

/** A linear scale from 0 that ends at a round number. */
export function linearScale(most: number, from: number, to: number): Scale {
  const step = roundStep(most / 5)
  const end = Math.max(step, Math.ceil(most / step) * step)
  const ticks = Array.from({ length: Math.round(end / step) + 1 }, (_, index) => index * step)
  return Object.assign((value: number) => from + ((to - from) * value) / end, { ticks })
}

function roundStep(rough: number): number {
  if (!(rough > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(rough))
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) as number)
}

/** A picture with its words for those who do not see it. */
export function picture(width: number, height: number, label: string, content: readonly string[]): string {
  return `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(label)}">\n${content.join('\n')}\n</svg>`
}

export const at = (value: number): string => String(Math.round(value * 10) / 10)

export function line(x1: number, y1: number, x2: number, y2: number, name: string): string {
  return `<line x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}" class="${name}"/>`
}

export function label(x: number, y: number, text: string, anchor: 'start' | 'middle' | 'end' = 'start'): string {
  return `<text x="${at(x)}" y="${at(y)}" text-anchor="${anchor}">${escaped(text)}</text>`
}

/** Grid lines with their values below. */
export function bottomAxis(scale: Scale, top: number, bottom: number, show: (value: number) => string): string[] {
  return scale.ticks.flatMap((tick) => [
    line(scale(tick), top, scale(tick), bottom, 'grid'),
    label(scale(tick), bottom + 14, show(tick), 'middle'),
  ])
}
