import { openLineWriter } from '../report/standard-output.ts'
import type { Io, Log } from './io.ts'

/** The real process. Only this file touches it. */
export function processIo(exit: (code: number) => void): Io {
  // A reader that left (`streamgauge --help | head -1`) or a full disk behind the log is no reason to crash.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
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
  let taken = true
  const writer = openLineWriter(() => {
    taken = false
  })
  return {
    write: (line) => {
      taken = true
      writer.write(line)
      return taken
    },
    close: () => writer.close(),
  }
}
