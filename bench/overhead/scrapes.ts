import { once } from 'node:events'
import type { Row } from './measurements.ts'
import { runLoad, start, stop } from './processes.ts'
import { loadCore, targetCore } from './targets.ts'

const seriesPerApp = 100
const scrapes = 5

/** For how long at most a scrape of about so many series holds the event loop, ms; and the longest turn without one. */
export async function holdOfScrapes(gatewayPort: number, wantedSeries: number): Promise<Row> {
  const { child, line } = await start('product', [`http://127.0.0.1:${gatewayPort}`, 'wide'], targetCore)
  try {
    const [port, adminPort] = line.split(' ').map(Number)
    const streams = Math.ceil(wantedSeries / seriesPerApp)
    await runLoad({ port, streams, chunks: 20, intervalMs: 5, waitMs: 5, spreadMs: streams * 2 }, loadCore)
    const scrape = async (): Promise<string> => (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text()
    const series = (await scrape()).split('\n').filter((text) => text !== '' && !text.startsWith('#')).length
    const longest = async (act: () => Promise<unknown>): Promise<number> => {
      child.send('watch')
      await act()
      const told = once(child, 'message')
      child.send('watched')
      return ((await told) as [number])[0]
    }
    const held: number[] = []
    const idle: number[] = []
    let tookMs = Number.POSITIVE_INFINITY
    for (let n = 0; n < scrapes; n++) {
      const began = performance.now()
      held.push(await longest(scrape))
      tookMs = Math.min(tookMs, performance.now() - began)
      idle.push(await longest(() => new Promise((resolve) => setTimeout(resolve, tookMs))))
    }
    const quietest = (values: readonly number[]): number => Math.min(...values)
    const middle = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[scrapes >> 1] as number
    return {
      series,
      tookMs,
      holdMedianMs: middle(held),
      holdQuietestMs: quietest(held),
      turnWithoutMedianMs: middle(idle),
      turnWithoutQuietestMs: quietest(idle),
    }
  } finally {
    await stop(child)
  }
}
