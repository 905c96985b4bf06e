export const minute = 60
export const hour = 60 * minute
export const day = 24 * hour
export const week = 7 * day

const units = [
  ['w', week],
  ['d', day],
  ['h', hour],
  ['m', minute],
  ['s', 1],
] as const

/** Seconds as Prometheus writes a duration: `90` → `1m30s`. */
export function duration(seconds: number): string {
  let rest = Math.round(seconds)
  if (rest <= 0) return '0s'
  let text = ''
  for (const [unit, length] of units) {
    // Weeks and days are written only where they are whole: `7d` and `25h` read better than `1w` and `1d1h`.
    if (unit === 'w' || (unit === 'd' && rest % day !== 0)) continue
    const count = Math.floor(rest / length)
    if (count > 0) text += `${count}${unit}`
    rest -= count * length
  }
  return text
}
