import type { Recorder, RunningExchange } from '../measurement/recorder.ts'

/**
 * One recorder made of several. One that throws harms nobody: `failed` is told, and that recorder hears no more of the exchange. (It may hold
 * half of what it needs, and a second complaint about the same exchange says nothing new.)
 */
export function combineRecorders(recorders: readonly Recorder[], failed: (error: unknown) => void): Recorder {
  /** Filled only when something fails. */
  const muted = new WeakMap<RunningExchange, Set<Recorder>>()

  function tell(exchange: RunningExchange, call: (recorder: Recorder) => void): void {
    for (const recorder of recorders) {
      if (muted.get(exchange)?.has(recorder)) continue
      try {
        call(recorder)
      } catch (error) {
        const silent = muted.get(exchange) ?? new Set()
        muted.set(exchange, silent.add(recorder))
        report(error)
      }
    }
  }

  function report(error: unknown): void {
    try {
      failed(error)
    } catch {
      // Who is told of failures may fail, too; there is nobody left to tell.
    }
  }

  return {
    started: (exchange) => tell(exchange, (recorder) => recorder.started(exchange)),
    firstToken: (exchange) => tell(exchange, (recorder) => recorder.firstToken(exchange)),
    ended: (measurement, exchange) => tell(exchange, (recorder) => recorder.ended(measurement, exchange)),
  }
}
