import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { type ProxyUnderTest, startProxy } from './proxy-under-test.ts'
import { simulatedGateway } from './simulated-gateway.ts'

/** Answers without waiting, for what does not look at times. */
export const quick = { ttftMs: 2, tokensPerSecond: 5000 }

export const messages = [{ role: 'user' as const, content: 'Say something.' }]

/** Fields that differ from one exchange to the next; nothing else may. */
const ofTheClock = new Set(['created', 'created_at', 'completed_at', 'timestamp'])
const durations = /_duration$/

/** What a client got, as plain data. Class instances become objects; what tells of time is taken out. */
export function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner) => (ofTheClock.has(key) || durations.test(key) ? undefined : inner)) ?? 'null',
  )
}

/**
 * Plays a scenario directly against a simulated gateway and through the proxy against its twin (same seed, so the same answers): the client must
 * get the same. Returns when all is recorded.
 *
 * @param exchanges number of requests that the scenario makes
 * @param scenario is given the base URL and returns all that the client told
 */
export async function sameBothWays(
  t: TestContext,
  exchanges: number,
  scenario: (baseUrl: string) => Promise<unknown>,
): Promise<{ readonly proxy: ProxyUnderTest; readonly result: unknown }> {
  const [direct, behind] = await Promise.all([simulatedGateway(t, { seed: 11 }), simulatedGateway(t, { seed: 11 })])
  const proxy = await startProxy(t, behind.url)
  const expected = plain(await scenario(direct.url))
  const got = plain(await scenario(`${proxy.url}/v1`))
  assert.notEqual(expected, null)
  assert.deepEqual(got, expected)
  assert.deepEqual(written(behind), written(direct))
  await proxy.measurement(exchanges - 1)
  assert.equal(proxy.measurements.length, exchanges)
  assert.deepEqual(proxy.faults, [])
  return { proxy, result: got }
}

/** What a gateway wrote, in an order that does not depend on who came first. */
function written(simulator: Simulator): string[] {
  return simulator
    .truths()
    .map(({ method, path, status, tokens, chars }) => JSON.stringify({ method, path, status, tokens, chars }))
    .sort()
}

/** All parts of a stream. */
export async function all<Part>(stream: AsyncIterable<Part>): Promise<Part[]> {
  const parts: Part[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

/** What an error tells its catcher. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    const { name, status, code, type, message } = error as Record<string, unknown>
    return { class: (error as object).constructor.name, name, status, code, type, message }
  }
  throw new Error('it did not fail')
}
