import { pino } from 'pino'
import type { Io, Log } from './io.ts'

/** Log lines held back for a reader that does not read; beyond it lines are dropped, for memory must stay bounded. */
const longestBacklog = 16 * 2 ** 20

/** The real process. Only this file touches it. */
export function processIo(exit: (code: number) => void): Io {
  // A reader that left (`streamgauge --help | head -1`) is no reason to crash.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe)
  return {
    env: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    interactive: process.stderr.isTTY === true,
    openLog,
    onStop: (listener) => {
      process.on('SIGTERM', listener).on('SIGINT', listener)
      return () => void process.off('SIGTERM', listener).off('SIGINT', listener)
    },
    onFatal: (listener) => {
      process.on('uncaughtException', listener).on('unhandledRejection', listener)
      return () => void process.off('uncaughtException', listener).off('unhandledRejection', listener)
    },
    exit,
  }
}

function openLog(): Log {
  const destination = pino.destination({ dest: 1, sync: false, maxLength: longestBacklog })
  let open = true
  destination.on('error', (error: NodeJS.ErrnoException) => {
    open = false
    ignoreClosedPipe(error)
  })
  return {
    write: (line) => {
      if (open) destination.write(line)
    },
    flush: () => {
      if (open) destination.flushSync()
    },
  }
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}
