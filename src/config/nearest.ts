/** The candidate a slip of the finger away from `word`, else one that begins with it, if there is one. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const allowed = Math.max(1, Math.floor(word.length / 3))
  let best: string | undefined
  let bestDistance = allowed + 1
  for (const candidate of candidates) {
    const distance = editDistance(plain(word), plain(candidate))
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best ?? candidates.find((candidate) => word.length >= 4 && plain(candidate).startsWith(plain(word)))
}

/** `max_body_bytes`, `max-body-bytes` and `maxBodyBytes` are one word here. */
function plain(word: string): string {
  return word.slice(0, 64).toLowerCase().replace(/[-_ ]/g, '')
}

/** Insertions, deletions, changes and swaps of neighbours (optimal string alignment), row by row. */
function editDistance(from: string, to: string): number {
  let before: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const change = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const swap = swapped ? (before[j - 2] as number) + 1 : change
      next.push(Math.min(change, swap, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    before = row
    row = next
  }
  return row[to.length] as number
}
