import { readdirSync, readFileSync } from 'node:fs'

/** Open file descriptors of a process. Linux alone. */
export function descriptorsOf(pid: number | undefined): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** Resident memory of a process, bytes. Linux alone. */
export function residentBytesOf(pid: number | undefined): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  return Number(kilobytes) * 1024
}

/** Asks again until it holds, at most so long. Says what it saw last. */
export async function eventually<T>(
  see: () => T | Promise<T>,
  holds: (seen: T) => boolean,
  what: string,
  withinMs = 10_000,
): Promise<T> {
  const until = performance.now() + withinMs
  for (;;) {
    const seen = await see()
    if (holds(seen)) return seen
    if (performance.now() > until) throw new Error(`still not ${what}: ${JSON.stringify(seen)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
