import { setTimeout as delay } from 'node:timers/promises'
import type { DemoClient, DemoRequest } from './demo-request.ts'

/** Long enough for the cache of the simulated gateway. */
const rules = 'The same long rules for every turn. '.repeat(150)
const messages = [{ role: 'user', content: 'How fast does the river flow?' }]
const cached = [
  { role: 'system', content: [{ type: 'text', text: rules, cache_control: { type: 'ephemeral' } }] },
  ...messages,
]

const text = { type: 'string' }
const tools = ['compare', 'search'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { river: text, station: text, period: text } } },
}))

interface LoadRow {
  readonly model: string
  /** Streams one after another, and such rows side by side. */
  readonly each: number
  readonly rows: number
  readonly body?: object
  readonly leaveAfterMs?: number
}

/** About ten seconds of every model, enough exchanges of each for a median. */
const load: readonly LoadRow[] = [
  { model: 'sim/fast', each: 8, rows: 1 },
  { model: 'sim/reasoning', each: 5, rows: 2 },
  { model: 'sim/bursty', each: 7, rows: 1 },
  { model: 'sim/slow-start', each: 3, rows: 2 },
  { model: 'sim/frontier', each: 3, rows: 2 },
  { model: 'sim/hidden-reasoning', each: 3, rows: 2 },
  { model: 'sim/summarised-reasoning', each: 3, rows: 2 },
  { model: 'sim/stalls', each: 3, rows: 2 },
  { model: 'sim/flaky', each: 16, rows: 1 },
  { model: 'sim/cached', each: 6, rows: 1, body: { messages: cached } },
  { model: 'sim/loaded', each: 4, rows: 2 },
  { model: 'sim/fallback', each: 5, rows: 1 },
  { model: 'sim/tools', each: 8, rows: 1, body: { tools } },
  { model: 'sim/hang', each: 2, rows: 1, leaveAfterMs: 1500 },
]

/** Model name of requests that only warm up the proxy: compiled code and open connections. */
export const warmUpModel = 'sim/fast:warm-up'

function streamed(base: string, body: object): DemoRequest {
  return {
    base,
    path: '/v1/chat/completions',
    body: { messages, stream: true, stream_options: { include_usage: true }, ...body },
  }
}

/** A first second of requests that do not count: no user's proxy has just been started either. */
async function warmUp(client: DemoClient, gateways: readonly string[]): Promise<void> {
  const sim = { ttftMs: 10, tokens: 60, tokensPerSecond: 400 }
  for (let round = 0; round < 4; round++) {
    const bases = Array.from({ length: 16 }, (_, at) => gateways[at % gateways.length] as string)
    await Promise.all(bases.map((base) => client.send(streamed(base, { model: warmUpModel, sim }))))
  }
}

export interface LoadOptions {
  /** The proxy's, without a path. */
  readonly address: string
  /** Only these models; default: all. */
  readonly only?: ReadonlySet<string> | undefined
  /** Nothing more is to be sent. */
  readonly stopped: () => boolean
}

/** Sends the fixed load and waits for its end. */
export async function sendLoad(client: DemoClient, { address, only, stopped }: LoadOptions): Promise<void> {
  const gateways = ['east', 'west'].map((name) => `${address}/@demo/${name}`)
  await warmUp(client, gateways)
  const wanted = load.filter(({ model }) => only?.has(model) ?? true)
  const rows = wanted.flatMap((row) => Array.from({ length: row.rows }, () => row))
  await Promise.all(
    rows.map(async ({ model, each, body, leaveAfterMs }, at) => {
      const asked = streamed(gateways[at % 2] as string, { model, ...body })
      // Not all in one instant: what is to be seen is the gateway's time, not a crowd at the door.
      await delay(at * 37)
      for (let count = 0; count < each && !stopped(); count++) {
        await client.send(leaveAfterMs === undefined ? asked : { ...asked, leaveAfterMs })
      }
    }),
  )
}
