import type { Distribution } from '../../report/live-shapes.ts'
import { vector } from './dom.ts'

/** Bins of a picture: from 2 ms to 10 min, or from 0.4 to 40 000 a second, whichever the figure. */
const firstBin = 3
const lastBin = 30

/** Bars of a distribution on a logarithmic scale that all models share, so that they can be compared by eye. */
export function bars({ first, counts }: Distribution, kind: string): SVGSVGElement {
  const most = Math.max(1, ...counts)
  const path = counts
    .map((count, index) => {
      const x = first + index - firstBin
      if (count === 0 || x < 0 || x > lastBin - firstBin) return ''
      const height = Math.max(1.5, (20 * count) / most)
      return `M${x + 0.08} 20V${20 - height}h0.84V20Z`
    })
    .join('')
  return vector(
    'svg',
    {
      class: `bars ${kind}`,
      viewBox: `0 0 ${lastBin - firstBin + 1} 20`,
      preserveAspectRatio: 'none',
      'aria-hidden': 'true',
    },
    vector('path', { class: 'floor', d: `M0 20H${lastBin - firstBin + 1}` }),
    vector('path', { class: 'fill', d: path }),
  )
}
