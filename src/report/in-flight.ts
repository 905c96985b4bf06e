import type { RunningExchange } from '../measurement/recorder.ts'
import { Roster } from '../measurement/roster.ts'
import type { GaugeChild } from './families.ts'
import type { StreamSeries } from './series.ts'

/** The generations that run now. Its gauges are read at the scrape: waiting is visible while it lasts. */
export class InFlight {
  readonly #clock: () => number
  readonly #streamsOf: (exchange: RunningExchange) => StreamSeries
  /** `undefined`: no stream was asked. */
  readonly #running = new Roster<RunningExchange, StreamSeries | undefined>()
  readonly #waits = new Set<GaugeChild>()
  readonly #waiting = new Set<GaugeChild>()

  /** `clock`: the marks' own, in milliseconds. `streamsOf`: the series of a stream. */
  constructor(clock: () => number, streamsOf: (exchange: RunningExchange) => StreamSeries) {
    this.#clock = clock
    this.#streamsOf = streamsOf
  }

  /** Returns the number of streams to that model, this one among them; 0 where no stream was asked. */
  begin(exchange: RunningExchange): number {
    if (this.#running.has(exchange)) return this.#running.get(exchange)?.inFlight.value ?? 0
    const streams = exchange.identity.streamAsked ? this.#streamsOf(exchange) : undefined
    this.#running.set(exchange, streams)
    if (streams === undefined) return 0
    this.#waits.add(streams.longestWait)
    this.#waiting.add(streams.awaiting)
    streams.inFlight.value++
    return streams.inFlight.value
  }

  end(exchange: RunningExchange): void {
    const streams = this.#running.get(exchange)
    if (streams !== undefined) streams.inFlight.value--
    this.#running.delete(exchange)
  }

  /** In the order in which they began. */
  running(): RunningExchange[] {
    return this.#running.keys()
  }

  get size(): number {
    return this.#running.size
  }

  /** Sets the gauges of waiting. A wait begins at `dispatched`. */
  read(): void {
    const now = this.#clock()
    for (const gauge of this.#waits) gauge.value = 0
    for (const gauge of this.#waiting) gauge.value = 0
    for (const exchange of this.#running.keys()) {
      const streams = this.#running.get(exchange)
      const { dispatched, firstToken } = exchange.marks
      if (streams === undefined || firstToken !== undefined) continue
      streams.awaiting.value++
      const waited = dispatched === undefined ? 0 : (now - dispatched) / 1000
      if (waited > streams.longestWait.value) streams.longestWait.value = waited
    }
  }
}
