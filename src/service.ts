import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { startAdmin } from './admin/admin.ts'
import { version as packageVersion } from './cli/version.ts'
import type { Config } from './config/schema.ts'
import type { Recorder } from './measurement/recorder.ts'
import { doubledPathHint } from './proxy/doubled-path.ts'
import { Drain } from './proxy/drain.ts'
import { createProxyApp } from './proxy/proxy-app.ts'
import { proxyContext } from './proxy/proxy-setup.ts'
import { type CutAnswer, cutAnswers } from './report/cut-answers.ts'
import { createReport } from './report/report.ts'
import { type Clock, type LoopIdle, monotonicClock, TurnClock } from './stream/turn-clock.ts'

export interface ServiceOptions {
  readonly version?: string
  /** Where the exchange log goes; default: standard output. */
  readonly log?: { write(line: string): void }
  /** Faults of our own, for the operator. The error may be anything. */
  readonly onFault?: (what: string, error: unknown) => void
  /** What the operator may have set wrong, in a sentence. */
  readonly onHint?: (hint: string) => void
  /** An answer began and the gateway did not bring it to its end. */
  readonly onCut?: (cut: CutAnswer) => void
  readonly clock?: Clock
  readonly idle?: LoopIdle
  /** ms since the epoch. */
  readonly wallClock?: () => number
  /** Told of every exchange beside our own. */
  readonly recorders?: readonly Recorder[]
}

export interface Service {
  /** `http://HOST:PORT` of the proxy. */
  readonly proxyUrl: string
  /** `http://HOST:PORT/` of the second listener. */
  readonly adminUrl: string
  /**
   * Takes no new requests, lets running ones finish, cuts the rest, and leaves time for a last scrape. A second call can only shorten the first.
   *
   * @param withinMs default: `proxy.drain`
   * @returns how many were cut
   */
  drain(withinMs?: number): Promise<number>
  /** Ends everything at once. */
  close(): Promise<void>
}

/** A fault of the same kind is told again after so long, ms. */
const floodMs = 10_000
/** After the last exchange the second listener stays up for so long, ms: what it counted would be lost else. */
const lastScrapeMs = 500

/** The whole wiring: a configuration in, two listeners out. */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const onFault = options.onFault ?? (() => {})
  const clock = options.clock ?? monotonicClock
  const turns = new TurnClock(clock, options.idle)
  const version = options.version ?? packageVersion()
  const report = createReport({
    labels: config.labels,
    metrics: config.metrics,
    log: config.log,
    clock: () => clock.now(),
    version,
    gateways: config.gateways.map((gateway) => gateway.name),
    recorders: [
      ...(options.recorders ?? []),
      ...(options.onHint === undefined ? [] : [doubledPathHint(config.gateways, options.onHint)]),
      ...(options.onCut === undefined ? [] : [cutAnswers(options.onCut)]),
    ],
    ...(options.log && { write: (line: string) => options.log?.write(line) }),
  })
  let isDraining = false
  const context = proxyContext(config, {
    recorder: report.recorder,
    turns,
    wallClock: options.wallClock ?? Date.now,
    isDraining: () => isDraining,
    refusesRequests: () => draining.refuses,
    onBroken: (error) => onFault('an observer failed; its exchange is no longer measured', error),
    onCrash: (error) => onFault('an exchange failed inside the proxy', error),
  })
  const proxy = await createProxyApp(context, {
    keepAliveMs: config.proxy.keepAlive,
    maxHeaderBytes: config.proxy.maxHeaderBytes,
  })
  const draining = new Drain(proxy.server, context.running, config.proxy.drainDelay)
  const onListenerFault = onceInAWhile(clock, (error) =>
    onFault('connections cannot be accepted: is the limit of file descriptors (ulimit -n) too low?', error),
  )
  await proxy.listen({ host: config.proxy.host, port: config.proxy.port })
  // Without a listener of ours it would end the process.
  proxy.server.on('error', onListenerFault)
  const proxyUrl = urlOf(config.proxy.host, proxy.server.address() as AddressInfo)
  const admin = await startAdmin({
    ...config.admin,
    metrics: report.metrics,
    live: {
      inFlight: report.inFlight,
      recent: report.recent,
      models: report.models,
      eventLoop: report.metrics.eventLoop,
      clock: () => clock.now(),
      wallClock: options.wallClock ?? Date.now,
    },
    ready: () => !isDraining,
    onListenerFault,
    page: { version, proxyUrl, gateways: config.gateways.map((gateway) => gateway.name) },
  }).catch(async (error) => {
    await proxy.close()
    throw error
  })

  async function close(): Promise<void> {
    isDraining = true
    await draining.begin(0)
    proxy.server.closeAllConnections()
    await proxy.close()
    await Promise.all([...context.gateways.values()].map(({ gateway }) => gateway.destroy()))
    await admin.close()
    await report.close()
  }

  async function drain(withinMs: number = config.proxy.drain): Promise<number> {
    isDraining = true
    const cut = await draining.begin(withinMs)
    await wait(lastScrapeMs)
    return cut
  }

  return { proxyUrl, adminUrl: admin.url, drain, close }
}

function urlOf(host: string, address: AddressInfo): string {
  const name = host.includes(':') ? `[${host}]` : host
  return `http://${name}:${address.port}`
}

/** What comes in floods is told at most so often. */
function onceInAWhile(clock: Clock, tell: (error: unknown) => void): (error: unknown) => void {
  let next = Number.NEGATIVE_INFINITY
  return (error) => {
    if (clock.now() < next) return
    next = clock.now() + floodMs
    tell(error)
  }
}
