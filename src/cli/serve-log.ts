import { type Logger, pino } from 'pino'
import type { Log } from './io.ts'

/** JSON lines of the same form as the exchange log: no process id, no host name. */
export function serveLogger(level: string, log: Log): Logger {
  return pino({ level, base: null }, { write: (line: string) => log.write(line) })
}

export type { Logger }
