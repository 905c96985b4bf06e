import type { ServerResponse } from 'node:http'
import type { Snapshot } from '../report/live-shapes.ts'
import { adviceOf, type LiveSources, openingOf, type PageFacts, snapshotOf } from './live-source.ts'

/** A quarter of a second between snapshots. */
const everyMs = 250
/** Snapshots between two that bring models and advice. */
const slowEvery = 8
/** What may wait for one viewer, and for how many snapshots something may wait, before it is dropped. */
const mostWaitingBytes = 1 << 20
const mostWaitingTurns = 40
const mostViewers = 200

interface Viewer {
  readonly response: ServerResponse
  /** Snapshots in a row at which it had not taken what it was sent. */
  waiting: number
}

/**
 * Tells viewers what happens, as server-sent events: first `opening`, then a `snapshot` with all that is kept, then at most four a second with
 * what is new. One text is made for all of them, and none while nobody watches. A viewer that does not read is dropped; its browser comes again.
 */
export class LiveFeed {
  readonly #sources: LiveSources
  readonly #facts: PageFacts
  readonly #viewers = new Set<Viewer>()
  #timer: NodeJS.Timeout | undefined
  #turn = 0
  /** Number of the last exchange that was sent. */
  #sent = 0
  /** The last snapshot told of no running stream. */
  #toldEmpty = false
  #slowSent = -1

  constructor(sources: LiveSources, facts: PageFacts) {
    this.#sources = sources
    this.#facts = facts
  }

  get viewers(): number {
    return this.#viewers.size
  }

  /** Whether one more may watch. */
  get hasRoom(): boolean {
    return this.#viewers.size < mostViewers
  }

  /** `response`: nothing of it was written yet. */
  attach(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
    const viewer: Viewer = { response, waiting: 0 }
    response.on('close', () => this.#leave(viewer))
    // A reset is no news: its close follows.
    response.on('error', () => {})
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    })
    if (this.#viewers.size === 0) {
      this.#sent = this.#sources.recent.serial
      this.#timer = setInterval(() => this.#tick(), everyMs)
    }
    // Up to where the others are, so that the next snapshot is the next for this one, too.
    const upToDate = snapshotOf(this.#sources, 0, this.#sources.recent.size)
    const exchanges = upToDate.exchanges.filter(({ serial }) => serial <= this.#sent)
    response.write(
      `retry: 1000\n${eventOf('opening', openingOf(this.#facts, this.#sources))}${eventOf('snapshot', {
        ...upToDate,
        exchanges,
        skipped: 0,
        ...this.#slowPart(),
      } satisfies Snapshot)}`,
    )
    this.#viewers.add(viewer)
  }

  /** Ends every viewer. */
  close(): void {
    for (const { response } of this.#viewers) response.end()
    this.#viewers.clear()
    this.#stop()
  }

  #tick(): void {
    this.#turn++
    const slow = this.#turn % slowEvery === 0
    const serial = this.#sources.recent.serial
    const idle = this.#sources.inFlight.size === 0 && serial === this.#sent
    // The last stream has gone: that is told once. While nothing happens the slow ones show that the line is alive.
    if (!idle || !this.#toldEmpty || slow) this.#send(slow)
  }

  #send(slow: boolean): void {
    const snapshot = snapshotOf(this.#sources, this.#sent)
    this.#sent = this.#sources.recent.serial
    this.#toldEmpty = snapshot.runningTotal === 0
    const changed = slow && this.#slowSent !== this.#sent
    const text = eventOf('snapshot', changed ? { ...snapshot, ...this.#slowPart() } : snapshot)
    if (changed) this.#slowSent = this.#sent
    for (const viewer of this.#viewers) {
      const { response } = viewer
      viewer.waiting = response.writableLength > 0 ? viewer.waiting + 1 : 0
      if (viewer.waiting > mostWaitingTurns || response.writableLength > mostWaitingBytes) response.destroy()
      else response.write(text)
    }
  }

  #slowPart(): Pick<Snapshot, 'models' | 'advice'> {
    return { models: this.#sources.models.rows(), advice: adviceOf(this.#sources) }
  }

  #leave(viewer: Viewer): void {
    this.#viewers.delete(viewer)
    if (this.#viewers.size === 0) this.#stop()
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** JSON has no line break outside strings, and none inside: one data line. */
const eventOf = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
