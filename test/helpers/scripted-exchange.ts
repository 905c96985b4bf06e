import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { evaluate } from '../../src/measurement/figures.ts'
import type { Reason } from '../../src/measurement/reasons.ts'
import type { StreamMeasurement } from '../../src/measurement/stream-measurement.ts'
import { HeldClock } from './held-clock.ts'
import { type HeldGateway, type HeldRequest, startHeldGateway } from './held-gateway.ts'
import { type ConfigChanges, type ProxyUnderTest, startProxy } from './proxy-under-test.ts'
import { type ReadingClient, send } from './reading-client.ts'

/**
 * What happens at an instant: bytes that the gateway writes (several of a list in one turn), its head, how it ends or breaks the answer, that
 * the client leaves, or what the test does itself.
 */
export type Deed =
  | string
  | Buffer
  | readonly (string | Buffer)[]
  | { readonly head: number; readonly headers?: Record<string, string | string[]> }
  | { readonly end: string | Buffer }
  | { readonly cut: 'fin' | 'reset' }
  | { readonly act: () => void | Promise<void> }
  | 'leave'

/** ms on the held clock, and what happens then. The request is sent at 0. */
export type Step = readonly [ms: number, deed: Deed]

export const head: Deed = { head: 200, headers: { 'content-type': 'text/event-stream' } }
export const jsonHead = (status = 200): Deed => ({ head: status, headers: { 'content-type': 'application/json' } })
export const end = (text: string | Buffer = ''): Deed => ({ end: text })

/** `count` events, the first at `from`, each `every` ms after the one before. */
export function drip(from: number, every: number, count: number, event: (index: number) => string): Step[] {
  return Array.from({ length: count }, (_, index) => [from + index * every, event(index)] as const)
}

export interface ScriptOptions {
  readonly path?: string
  readonly request?: object
  readonly headers?: Record<string, string>
  readonly config?: ConfigChanges
}

export interface Stage {
  readonly clock: HeldClock
  readonly gateway: HeldGateway
  readonly proxy: ProxyUnderTest
}

/** What was told of one exchange. */
export interface Told {
  readonly m: StreamMeasurement
  readonly figures: Readonly<Record<string, number>>
  readonly unmeasured: Readonly<Record<string, Reason>>
  /** Its line in the exchange log. */
  readonly line: Readonly<Record<string, unknown>>
  readonly flags: readonly string[]
}

/** A proxy with a held clock in front of a held gateway. */
export async function setStage(t: TestContext, config: ConfigChanges = {}): Promise<Stage> {
  const clock = new HeldClock()
  const gateway = await startHeldGateway(t)
  const proxy = await startProxy(t, gateway.url, { clock, idle: clock, wallClock: () => 1_796_000_000_000, config })
  return { clock, gateway, proxy }
}

/** Plays one exchange, the clock held at each step, and tells what was measured. Times count from `from`. */
export async function play(
  stage: Stage,
  script: readonly Step[],
  options: ScriptOptions = {},
  from = 0,
): Promise<Told> {
  const { clock, gateway, proxy } = stage
  const n = proxy.measurements.length
  clock.set(from)
  const request = { model: 'm', stream: true, messages: [], ...options.request }
  const client = send(`${proxy.url}${options.path ?? '/v1/chat/completions'}`, request, {
    headers: { ...options.headers },
  })
  const held = await gateway.next()
  const written: Buffer[] = []
  for (const [ms, deed] of script) {
    clock.set(from + ms)
    await doDeed(deed, client, held, written, () => proxy.measurement(n))
  }
  const m = await proxy.measurement(n)
  const { outcome } = m
  if (outcome !== 'client_abort' && outcome !== 'gateway_error') await client.body.catch(() => {})
  // Also where the answer was cut: what came is what was sent.
  assert.deepEqual(client.soFar(), Buffer.concat(written))
  const line = proxy.log.find((entry) => entry['id'] === m.identity.id) ?? {}
  const { figures, unmeasured } = evaluate(m)
  return { m, figures, unmeasured, line, flags: line['flags'] as string[] }
}

async function doDeed(
  deed: Deed,
  client: ReadingClient,
  held: HeldRequest,
  written: Buffer[],
  over: () => Promise<StreamMeasurement>,
): Promise<void> {
  const wrote = (bytes: string | Buffer): void => void written.push(Buffer.from(bytes as string))
  if (deed === 'leave') {
    client.request.destroy()
    await over()
  } else if (typeof deed === 'string' || Buffer.isBuffer(deed)) {
    wrote(deed)
    held.write(deed)
    await client.received(Buffer.concat(written).length)
  } else if ('head' in deed) {
    held.head(deed.head, deed.headers)
    await client.head
  } else if ('end' in deed) {
    wrote(deed.end)
    held.end(deed.end)
    await over()
  } else if ('cut' in deed) {
    held.cut(deed.cut)
    await over()
  } else if ('act' in deed) {
    await deed.act()
  } else {
    for (const part of deed) {
      wrote(part)
      held.write(part)
    }
    await client.received(Buffer.concat(written).length)
  }
}

/** Plays one exchange on a stage of its own. */
export async function tell(t: TestContext, script: readonly Step[], options: ScriptOptions = {}): Promise<Told> {
  return play(await setStage(t, options.config), script, options)
}

/** Short names of the figures that tables of expectations are written with. */
const shortNames = {
  ttft: 'time_to_first_token_seconds',
  answer: 'time_to_first_answer_seconds',
  byte: 'time_to_first_byte_seconds',
  headers: 'time_to_headers_seconds',
  connect: 'connection_wait_seconds',
  upload: 'request_upload_seconds',
  overhead: 'proxy_overhead_seconds',
  uncertainty: 'mark_uncertainty_seconds',
  tpot: 'time_per_output_token_seconds',
  tps: 'output_tokens_per_second',
  cps: 'output_chars_per_second',
  eps: 'output_events_per_second',
  blended: 'blended_tokens_per_second',
  gaps: 'inter_chunk_seconds',
  stall: 'longest_stall_seconds',
  burst: 'burstiness',
  duration: 'request_duration_seconds',
  abandoned: 'abandoned_wait_seconds',
} as const

export type Short = keyof typeof shortNames
/** `undefined` takes a figure out again that was spread in. */
export type Figures = { readonly [Name in Short]?: number | undefined }
export type Missing = Partial<Record<Reason, readonly Short[]>>

/** With a held clock nothing waits for a connection and the proxy costs nothing: these need not be said. */
const silent: readonly Short[] = ['connect', 'upload', 'overhead', 'uncertainty']

/** Every figure and every reason is the one expected, and there is no other. */
export function assertFigures(told: Told, figures: Figures, missing: Missing): void {
  const short = (name: string): Short => Object.entries(shortNames).find(([, long]) => long === name)?.[0] as Short
  const found = Object.entries(told.figures).map(([name, value]) => [short(name), value] as const)
  const reasons = Object.entries(told.unmeasured).map(([name, reason]) => [short(name), reason] as const)
  const expected = Object.entries(missing).flatMap(([reason, names]) => names.map((name) => [name, reason] as const))
  const isSilent = ([name, value]: readonly [Short, number]): boolean => silent.includes(name) && value === 0
  const wanted = Object.entries(figures).filter(([, value]) => value !== undefined)
  assert.deepEqual(sorted(found.filter((entry) => !isSilent(entry))), sorted(wanted))
  assert.deepEqual(sorted(reasons), sorted(expected))
}

function sorted<Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> {
  return Object.fromEntries([...entries].sort(([one], [other]) => (one < other ? -1 : 1)))
}
