import { setTimeout as wait } from 'node:timers/promises'

/** What is needed of a stream: `process.stdout` has it, and every `Writable`. */
export interface OutputStream {
  readonly writableLength: number
  write(text: string, done?: () => void): boolean
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

export interface LineWriter {
  write(line: string): void
  /** Waits until all is written, but no longer than `withinMs`. What is then still queued keeps the process until `process.exit`. */
  close(withinMs?: number): Promise<void>
}

/** Some thousands of exchanges. */
const mostBuffered = 8 * 1024 * 1024

/**
 * Lines to standard output that hold nobody up. Lines for which a slow reader leaves no room, and all lines once nobody reads, are dropped and
 * told to `dropped`.
 *
 * `process.stdout` queues what a pipe does not take. `fs.write` (pino's own asynchronous destination) was tried: a write into a full pipe holds a
 * thread of the pool, and the process cannot exit before the pipe's reader does.
 */
export function openLineWriter(dropped: () => void, stream: OutputStream = process.stdout): LineWriter {
  let broken = false
  const onError = (): void => {
    broken = true
  }
  // Without a listener a broken pipe would end the process.
  stream.on('error', onError)
  return {
    write(line) {
      if (broken || stream.writableLength > mostBuffered) dropped()
      else stream.write(line)
    },
    async close(withinMs = 1000) {
      if (broken) return
      const written = new Promise<'written'>((resolve) => {
        stream.write('', () => resolve('written'))
      })
      const deadline = new AbortController()
      const ended = await Promise.race([written, wait(withinMs, 'late', { signal: deadline.signal })])
      deadline.abort()
      // Where something is still queued, it may yet fail.
      if (ended === 'written' && !broken) stream.off('error', onError)
      broken = true
    },
  }
}
