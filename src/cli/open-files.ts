import { readFileSync } from 'node:fs'

/** How many files (connections among them) this process may have open; `undefined` where the system does not tell. Node raises its own limit to this one. */
export function mostOpenFiles(): number | undefined {
  try {
    const found = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1]
    return found === undefined || found === 'unlimited' ? undefined : Number(found)
  } catch {
    return undefined
  }
}

/** What `maxStreams` needs: a client's connection and a gateway's for each, and some for the process itself. */
export function neededOpenFiles(maxStreams: number): number {
  return 2 * maxStreams + 64
}
