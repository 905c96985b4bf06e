import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type ConfigChanges, startProxy } from './proxy-under-test.ts'
import { simulatedGateway } from './simulated-gateway.ts'

/** A name with everything that a regular expression or a URL could trip over. */
export const oddModel = 'sim/fast:vendor/model+x.(v1)'

const rules = 'The same long rules for every turn of the talk. '.repeat(120)
const system = { role: 'system', content: [{ type: 'text', text: rules, cache_control: { type: 'ephemeral' } }] }
const user = { role: 'user', content: 'How high is the river?' }
const quick = { ttftMs: 30, tokens: 40, tokensPerSecond: 400 }

export const pricedModels: readonly string[] = [oddModel, 'sim/fast', 'sim/reasoning', 'sim/cached']

interface Asked {
  readonly path?: string
  readonly body: Readonly<Record<string, unknown>>
  readonly leaveAfterMs?: number
}

const chat = (model: string, sim: object = quick, more: object = {}): Asked => ({
  body: { model, messages: [user], stream: true, stream_options: { include_usage: true }, sim, ...more },
})

/** One of each kind that panels tell apart. */
const mixed: readonly Asked[] = [
  chat(oddModel),
  chat('sim/fast', { ...quick, ttftMs: 60 }),
  chat('sim/reasoning', { ...quick, reasoningTokens: 10, reasoning: 'streamed' }),
  chat('sim/cached', { tokens: 30, tokensPerSecond: 400 }, { messages: [system, user] }),
  chat('sim/fallback', quick),
  // Nearly twice what makes a stall: on a busy machine what came before it is read late.
  chat('sim/stalls', { ...quick, stallAt: 20, stallMs: 1900 }),
  chat('sim/fast', { ...quick, buffered: true }),
  chat('sim/fast', { status: 429 }),
  chat('sim/fast', { status: 500 }),
  chat('sim/fast', { ...quick, fail: 'truncate', failAt: 10 }),
  { ...chat('sim/hang', { fail: 'hang', failAt: -1 }), leaveAfterMs: 100 },
  { body: { model: 'sim/fast', messages: [user], sim: quick } },
  { path: '/v1/embeddings', body: { model: 'sim/embed', input: 'a' } },
]

const simple: readonly Asked[] = [chat(oddModel), chat(oddModel, { ...quick, ttftMs: 80 })]

export interface BusyProxy {
  /** Sends one round of requests and waits for their end. */
  round(): Promise<void>
  /** The text format of `/metrics`. */
  scrape(): Promise<string>
  /** What it counted, for comparison. */
  readonly ended: number
}

/** A proxy in front of a simulated gateway, and clients. `mixed`: everything there is; `simple`: one model; `idle`: none. */
export async function busyProxy(
  t: TestContext,
  kind: 'mixed' | 'simple' | 'idle',
  config: ConfigChanges = {},
): Promise<BusyProxy> {
  const simulator = await simulatedGateway(t)
  const prices = { input: 1, cachedInput: 0.5, cacheWrite: 0, output: 4 }
  const models = Object.fromEntries(pricedModels.map((name) => [name, prices]))
  const proxy = await startProxy(t, simulator.url, { config: { gateways: [{ models }], ...config } })
  const asks = kind === 'mixed' ? mixed : kind === 'simple' ? simple : []
  let sent = 0

  async function send({ path = '/v1/chat/completions', body, leaveAfterMs }: Asked): Promise<void> {
    sent++
    const leave = new AbortController()
    const hanging = (): number => proxy.started.filter(({ identity }) => identity.model === body['model']).length
    const before = hanging()
    const asked = fetch(`${proxy.url}/@shop${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: leave.signal,
    }).catch(() => undefined)
    if (leaveAfterMs !== undefined) {
      // Only what has reached the proxy can be left.
      while (hanging() === before) await delay(5)
      await delay(leaveAfterMs)
      leave.abort()
    }
    const answer = await asked
    await answer?.text().catch(() => undefined)
  }

  return {
    get ended() {
      return proxy.measurements.length
    },
    async round() {
      await Promise.all(asks.map(send))
      while (proxy.measurements.length < sent) await proxy.measurement(proxy.measurements.length)
      assert.deepEqual(proxy.faults, [])
    },
    scrape: () => proxy.metrics(),
  }
}
