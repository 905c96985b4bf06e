import type { TestContext } from 'node:test'
import { loadConfig } from '../../src/config/load.ts'
import type { Config } from '../../src/config/schema.ts'
import type { RunningExchange } from '../../src/measurement/recorder.ts'
import type { StreamMeasurement } from '../../src/measurement/stream-measurement.ts'
import { type Service, type ServiceOptions, startService } from '../../src/service.ts'

export interface ProxyUnderTest {
  readonly service: Service
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /** Every record so far, the oldest first. */
  readonly measurements: readonly StreamMeasurement[]
  readonly started: readonly RunningExchange[]
  /** Exchange log lines so far. */
  readonly log: readonly Record<string, unknown>[]
  readonly faults: readonly string[]
  /** Resolves with the record number `n` (from 0) as soon as it is there. */
  measurement(n?: number): Promise<StreamMeasurement>
  /** Text of `/metrics`. */
  metrics(accept?: string): Promise<string>
}

/** What may be laid over the defaults: two levels deep, as the configuration is. */
export type ConfigChanges = {
  [Section in keyof Config]?: Section extends 'gateways' ? GatewayChanges[] : Partial<Config[Section]>
}
type GatewayChanges = {
  [Key in keyof Config['gateways'][number]]?: Config['gateways'][number][Key] | Partial<Config['gateways'][number][Key]>
}

/** The whole service on free ports, in front of `gatewayUrl`, told to a recorder of the test's own too. */
export async function startProxy(
  t: TestContext,
  gatewayUrl: string,
  options: ServiceOptions & { config?: ConfigChanges } = {},
): Promise<ProxyUnderTest> {
  const measurements: StreamMeasurement[] = []
  const started: RunningExchange[] = []
  const log: Record<string, unknown>[] = []
  const faults: string[] = []
  const waiting: { n: number; resolve(m: StreamMeasurement): void }[] = []
  const service = await startService(configFor(gatewayUrl, options.config), {
    log: { write: (line) => void log.push(JSON.parse(line) as Record<string, unknown>) },
    onFault: (what) => void faults.push(what),
    ...options,
    recorders: [
      ...(options.recorders ?? []),
      {
        started: (exchange) => void started.push(exchange),
        firstToken: () => {},
        ended(measurement) {
          measurements.push(measurement)
          for (const waiter of [...waiting])
            if (waiter.n < measurements.length) waiter.resolve(measurements[waiter.n] as StreamMeasurement)
        },
      },
    ],
  })
  t.after(() => service.close())
  return {
    service,
    url: service.proxyUrl,
    measurements,
    started,
    log,
    faults,
    measurement(n = 0) {
      const there = measurements[n]
      return there === undefined ? new Promise((resolve) => waiting.push({ n, resolve })) : Promise.resolve(there)
    },
    async metrics(accept = 'text/plain') {
      const answer = await fetch(new URL('metrics', service.adminUrl), { headers: { accept } })
      return answer.text()
    },
  }
}

/** The defaults with free ports, one gateway, and the changes laid over. */
export function configFor(gatewayUrl: string, changes: ConfigChanges = {}): Config {
  const loaded = loadConfig({ env: {}, flags: { gateway: gatewayUrl, port: '0', 'admin-port': '0' } })
  if (!('config' in loaded)) throw new Error(JSON.stringify(loaded.problems))
  const base = loaded.config as unknown as Record<string, Record<string, unknown>>
  const result: Record<string, unknown> = { ...base }
  for (const [section, change] of Object.entries(changes)) {
    if (section !== 'gateways') result[section] = { ...base[section], ...(change as object) }
  }
  const own = loaded.config.gateways[0] as unknown as Record<string, unknown>
  const gateways = (changes.gateways ?? [{}]) as Record<string, unknown>[]
  result['gateways'] = gateways.map((gateway) => {
    const merged: Record<string, unknown> = { ...own }
    for (const [key, value] of Object.entries(gateway)) {
      const isSection = typeof value === 'object' && value !== null && !Array.isArray(value)
      merged[key] = isSection ? { ...(own[key] as object), ...value } : value
    }
    return merged
  })
  return result as unknown as Config
}
