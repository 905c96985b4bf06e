import { configFrom } from '../config/load.ts'
import { type Service, startService } from '../service.ts'
import { type SimulatorThread, startSimulatorThread } from './demo-simulators.ts'
import type { Io } from './io.ts'
import { isFree } from './port-option.ts'

/** The simulated gateways and the proxy before them. */
export interface DemoStage {
  readonly simulators: readonly SimulatorThread[]
  /** Addresses without a path. */
  readonly proxyUrl: string
  readonly adminUrl: string
  /** What a user should know, such as ports that were taken. */
  readonly notes: readonly string[]
  close(): Promise<void>
}

export interface StageOptions {
  /** The usual ports where they are free; else any. */
  readonly defaultPorts: boolean
  readonly log: { write(line: string): void }
}

const host = '127.0.0.1'

/** Made up, USD per million tokens: so that costs are seen. */
const prices = {
  'sim/fast': { input: 0.15, cachedInput: 0.075, cacheWrite: 0, output: 0.6 },
  'sim/cached': { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 },
  'sim/frontier': { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 },
}

async function port(wanted: number, what: string, notes: string[], defaultPorts: boolean): Promise<number> {
  if (!defaultPorts) return 0
  if (await isFree(host, wanted)) return wanted
  notes.push(`port ${wanted} is in use: the ${what} has another one`)
  return 0
}

/** Starts everything; what was started is closed again if something fails. */
export async function openStage({ defaultPorts, log }: StageOptions): Promise<DemoStage> {
  // The demo talks to itself alone: an egress proxy of the environment would be asked for this machine's own loopback.
  process.env['no_proxy'] = process.env['NO_PROXY'] = '*'
  const notes: string[] = []
  const simulators: SimulatorThread[] = []
  const closeSimulators = async (): Promise<void> => {
    await Promise.all(simulators.map((simulator) => simulator.close()))
  }
  try {
    for (const [at, name] of ['east', 'west'].entries()) {
      const wanted = await port(8585 + at, `simulated gateway ${name}`, notes, defaultPorts)
      simulators.push(await startSimulatorThread(name, wanted, at + 1))
    }
    const config = configFrom({
      gateways: simulators.map(({ name, url }) => ({ name, url, models: prices })),
      proxy: { port: await port(8484, 'proxy', notes, defaultPorts) },
      admin: { port: await port(9484, 'live page', notes, defaultPorts) },
    })
    const service: Service = await startService(config, { log })
    return {
      simulators,
      proxyUrl: new URL(service.proxyUrl).origin,
      adminUrl: new URL(service.adminUrl).origin,
      notes,
      async close() {
        await service.close()
        await closeSimulators()
      },
    }
  } catch (error) {
    await closeSimulators()
    throw error
  }
}

/** The addresses, the live page's first. */
export function announce(io: Io, stage: DemoStage): void {
  io.out(`live page ${stage.adminUrl}/\n`)
  io.out(`base_url  ${stage.proxyUrl}/v1\n`)
  for (const { name, url } of stage.simulators) io.out(`gateway   ${name} ${url}\n`)
  for (const note of stage.notes) io.out(`note      ${note}\n`)
}
