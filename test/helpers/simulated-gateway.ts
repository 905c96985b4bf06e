import type { TestContext } from 'node:test'
import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/simulator.ts'

/** A simulator on a free port that is closed when the test ends. */
export async function simulatedGateway(t: TestContext, options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator(options)
  t.after(() => simulator.close())
  return simulator
}

export interface AskOptions {
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

/** POSTs a generation. `path` is the one behind the port. */
export function ask(simulator: Simulator, body: unknown, options: AskOptions = {}): Promise<Response> {
  const { path = '/v1/chat/completions', headers = {}, signal = AbortSignal.timeout(10_000) } = options
  return fetch(new URL(path, simulator.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal,
  })
}

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes; a wrong field fails the assertion that reads it
export type Loose = any

/** The parsed `data` of each SSE event of a whole text, `[DONE]` as that string. For well-formed streams alone. */
export function dataOf(text: string): Loose[] {
  return text
    .split('\n\n')
    .flatMap((event) => event.split('\n').filter((line) => line.startsWith('data: ')))
    .map((line) => line.slice(6))
    .map((data) => (data === '[DONE]' ? data : JSON.parse(data)))
}

export const userSays = (content: unknown) => [{ role: 'user', content }]
