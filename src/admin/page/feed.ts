import type { Opening, Snapshot } from '../../report/live-shapes.ts'
import { address } from './dom.ts'

export type LineState = 'live' | 'connecting' | 'lost'

/** The browser tries again by itself unless it was refused; then we do. */
const retryMs = 2000

/** Listens to `/live` while the page is seen, and comes back after the proxy was away. */
export function listen(told: {
  opening(opening: Opening): void
  snapshot(snapshot: Snapshot): void
  state(state: LineState): void
}): void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const leave = (): void => {
    clearTimeout(timer)
    source?.close()
    source = undefined
  }
  const come = (): void => {
    leave()
    const mine = new EventSource(address('live'))
    source = mine
    mine.addEventListener('opening', (event) => told.opening(JSON.parse(event.data) as Opening))
    mine.addEventListener('snapshot', (event) => {
      told.snapshot(JSON.parse(event.data) as Snapshot)
      told.state('live')
    })
    mine.addEventListener('error', () => {
      told.state('lost')
      if (mine.readyState !== EventSource.CLOSED) return
      leave()
      timer = setTimeout(come, retryMs)
    })
  }

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) leave()
    else if (source === undefined) {
      told.state('connecting')
      come()
    }
  })
  if (!document.hidden) come()
}
