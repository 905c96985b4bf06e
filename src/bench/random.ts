/** Numbers in [0, 1) that are the same for the same seed on every machine. */
export type Random = () => number

/** SplitMix32 over a counter; the seed's text is spread by a multiply-xor hash. Good enough for shuffles, waits and resampling; no secret. */
export function seededRandom(seed: string): Random {
  let counter = 0x9e3779b9
  for (const letter of seed)
    counter = Math.imul(counter ^ (letter.codePointAt(0) as number), 0x85ebca6b) ^ (counter >>> 13)
  return () => {
    counter = (counter + 0x9e3779b9) | 0
    let mixed = counter ^ (counter >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}

/** A new list in random order (Fisher-Yates). */
export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const list = [...items]
  for (let last = list.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    const kept = list[last] as Item
    list[last] = list[other] as Item
    list[other] = kept
  }
  return list
}

/** A waiting time of mean 1 in a Poisson process. */
export const exponential = (random: Random): number => -Math.log(1 - random())
