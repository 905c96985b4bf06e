import pino from 'pino'
import type { Recorder } from '../measurement/recorder.ts'
import { logLine } from './log-line.ts'

export interface LineDestination {
  /** One line with its line feed. */
  write(line: string): void
}

/** Writes one line an exchange. The lines are always of level `info` (30), whatever the level of the service's own log. */
export function createExchangeLog(destination: LineDestination): Recorder {
  const log = pino({ base: null, level: 'info' }, destination)
  return {
    started() {},
    firstToken() {},
    ended(measurement) {
      log.info(logLine(measurement))
    },
  }
}
