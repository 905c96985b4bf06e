import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { type ExchangeTruth, type Simulator, startSimulator } from '../simulator/simulator.ts'
import { isFree } from './port-option.ts'

/** A simulator in a thread of its own: its timeline must not wait for the proxy's event loop, nor the proxy's for it. */
export interface SimulatorThread {
  readonly name: string
  /** base_url */
  readonly url: string
  truths(): Promise<ExchangeTruth[]>
  /** Multiplies a model's TTFT from now on. */
  slow(model: string, factor: number): Promise<void>
  close(): Promise<void>
}

interface Started {
  readonly url: string
}

/** Starts a simulator on the wanted port, or on any free one where that is taken. */
export async function startSimulatorThread(name: string, wantedPort: number, seed: number): Promise<SimulatorThread> {
  const host = '127.0.0.1'
  const port = wantedPort !== 0 && (await isFree(host, wantedPort)) ? wantedPort : 0
  const worker = new Worker(new URL(import.meta.url), { workerData: { simulator: { host, port, seed } } })
  // Rejects if the thread breaks first. Once it runs nobody listens for errors any more: a broken simulator ends the demo loudly.
  const [{ url }] = (await once(worker, 'message')) as [Started]
  return {
    name,
    url,
    truths: async () => (await fetch(new URL('/sim/truths', url))).json() as Promise<ExchangeTruth[]>,
    async slow(model, factor) {
      const answer = await fetch(new URL('/sim/slow', url), { method: 'POST', body: JSON.stringify({ model, factor }) })
      await answer.arrayBuffer()
    },
    async close() {
      await worker.terminate()
    },
  }
}

// This file is also the thread's program.
if (!isMainThread && parentPort !== null && workerData?.simulator !== undefined) {
  const simulator: Simulator = await startSimulator(workerData.simulator)
  const started: Started = { url: simulator.url }
  parentPort.postMessage(started)
}
