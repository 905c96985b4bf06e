import type { Recorder } from '../measurement/recorder.ts'
import { logLine } from './log-line.ts'

export interface LineDestination {
  /** One line with its line feed. */
  write(line: string): void
}

/** Writes one line an exchange. The lines are always of level `info` (30), whatever the level of the service's own log. */
export function createExchangeLog(destination: LineDestination): Recorder {
  return {
    started() {},
    firstToken() {},
    ended(measurement) {
      // As pino writes them; but it would serialise each nested object by itself.
      const fields = JSON.stringify(logLine(measurement))
      destination.write(`{"level":30,"time":${Date.now()},${fields.slice(1)}\n`)
    },
  }
}
