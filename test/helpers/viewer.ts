import { get, type IncomingMessage } from 'node:http'
import type { TestContext } from 'node:test'
import { createParser } from 'eventsource-parser'
import type { Opening, Snapshot } from '../../src/report/live-shapes.ts'

export interface Viewer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** What came so far. */
  readonly openings: Opening[]
  readonly snapshots: Snapshot[]
  /** Bytes of each event's data. */
  readonly sizes: number[]
  readonly texts: string[]
  readonly gone: boolean
  /** Resolves once this many snapshots came. */
  has(snapshots: number): Promise<void>
  ended(): Promise<void>
  leave(): void
}

/** Watches the feed, as the page does. */
export async function watch(
  t: TestContext,
  adminUrl: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Viewer> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(new URL('live', adminUrl), { agent: false, headers }, resolve).on('error', reject)
  })
  t.after(() => answer.destroy())
  const viewer = {
    status: answer.statusCode as number,
    headers: answer.headers,
    openings: [] as Opening[],
    snapshots: [] as Snapshot[],
    sizes: [] as number[],
    texts: [] as string[],
    gone: false,
  }
  const waiting = new Set<() => void>()
  const parser = createParser({
    onEvent({ event, data }) {
      viewer.sizes.push(Buffer.byteLength(data))
      viewer.texts.push(data)
      if (event === 'opening') viewer.openings.push(JSON.parse(data) as Opening)
      else viewer.snapshots.push(JSON.parse(data) as Snapshot)
      for (const look of waiting) look()
    },
  })
  answer.setEncoding('utf8')
  answer.on('data', (text: string) => parser.feed(text))
  answer.on('error', () => {})
  answer.on('close', () => {
    viewer.gone = true
    for (const look of waiting) look()
  })
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  return Object.assign(viewer, {
    has: (count: number) => until(() => viewer.snapshots.length >= count),
    ended: () => until(() => viewer.gone),
    leave: () => void answer.destroy(),
  })
}
