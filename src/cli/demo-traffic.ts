import { type DemoApp, demoApps } from './demo-apps.ts'
import type { DemoClient } from './demo-request.ts'

/** A day of the demo. */
export const dayMs = 8 * 60_000

/** The apps' first actions are spread over this time, ms. */
const openingMs = 4000

/** Requests of the demo at once; more are left out, so that a slow machine is not drowned. */
const mostAtOnce = 40

/** Lets the apps live their day until it is stopped. `address`: the proxy's, without a path. */
export function startTraffic(client: DemoClient, address: string, apps: readonly DemoApp[] = demoApps): () => void {
  // It begins in the morning, when something happens.
  const begun = Date.now() - dayMs * 0.35
  const timers = new Map<DemoApp, NodeJS.Timeout>()
  const openings: NodeJS.Timeout[] = []
  let running = 0

  const act = (app: DemoApp): void => {
    for (const requests of app.act((gateway) => `${address}/@${app.name}/${gateway}`)) {
      if (running >= mostAtOnce) return
      running++
      void (async () => {
        for (const asked of requests) await client.send(asked)
        running--
      })()
    }
  }
  const next = (app: DemoApp): void => {
    const activity = app.activity(((Date.now() - begun) % dayMs) / dayMs)
    // Exponential gaps: independent arrivals.
    const wait = Math.min(60_000, (-Math.log(1 - Math.random()) * app.everyMs) / Math.max(0.02, activity))
    timers.set(
      app,
      setTimeout(() => {
        act(app)
        next(app)
      }, wait),
    )
  }
  for (const app of apps) {
    for (let action = 0; action < app.opening; action++) {
      openings.push(setTimeout(() => act(app), (openingMs * action) / app.opening))
    }
    next(app)
  }
  return () => {
    for (const timer of openings) clearTimeout(timer)
    for (const timer of timers.values()) clearTimeout(timer)
  }
}
