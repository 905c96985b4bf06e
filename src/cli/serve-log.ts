import { type Logger, pino } from 'pino'
import type { Log } from './io.ts'

/** JSON lines of the same form as the exchange log: no process id, no host name. */
export function serveLogger(level: string, log: Log): Logger {
  return pino({ level, base: null }, { write: (line: string) => void log.write(line) })
}

export type { Logger }

/** For the exchange log: a line that is dropped is an error of that recorder, and counted as one. */
export function exchangeLines(log: Log): { write(line: string): void } {
  return {
    write: (line) => {
      if (!log.write(line)) throw new Error('standard output takes no more lines')
    },
  }
}
