import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Generations } from './generation.ts'
import { Reception } from './reception.ts'
import { Schedule } from './schedule.ts'
import { type ExchangeTruth, TruthRing } from './truth.ts'

export type { ExchangeTruth } from './truth.ts'

export interface SimulatorOptions {
  readonly host?: string
  /** 0: any free one. */
  readonly port?: number
  /** The same seed and the same order of requests give the same answers. */
  readonly seed?: number
}

/** A gateway that does what its models and scripts say, to the millisecond, and tells afterwards what it really did. */
export interface Simulator {
  /** What a client takes for `base_url`: http://HOST:PORT/v1 */
  readonly url: string
  readonly port: number
  /** By the id that the client sent as `x-sim-exchange`, else by the answer's `x-request-id`. */
  truth(id: string): ExchangeTruth | undefined
  /** The last 2000 exchanges, oldest first. */
  truths(): readonly ExchangeTruth[]
  /** Multiplies a model's TTFT from now on, as a regression would; 1 undoes it. */
  slow(model: string, factor: number): void
  close(): Promise<void>
}

/** Starts a simulated gateway. Rejects where the address cannot be listened on. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, seed = 1 } = options
  const schedule = new Schedule()
  const generations = new Generations(seed, schedule)
  const ring = new TruthRing()
  const reception = new Reception(generations, ring, `sim-${seed}`)
  const server = createServer({ noDelay: true, keepAliveTimeout: 120_000, requestTimeout: 0 }, (request, response) => {
    reception.handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const listening = (server.address() as AddressInfo).port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${listening}/v1`,
    port: listening,
    truth: (id) => ring.get(id),
    truths: () => ring.all(),
    slow: (model, factor) => generations.slow(model, factor),
    async close() {
      schedule.close()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
