import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Outcome } from '../../src/measurement/outcomes.ts'
import type { StreamMeasurement } from '../../src/measurement/stream-measurement.ts'
import type { ServiceOptions } from '../../src/service.ts'
import { sumIn } from './exposition.ts'
import { type ConfigChanges, type ProxyUnderTest, startProxy } from './proxy-under-test.ts'
import { openRawClient, type RawAnswer, type RawClient, requestBytes } from './raw-client.ts'
import {
  type RawConnection,
  type RawGateway,
  type RawGatewayOptions,
  type Script,
  startRawGateway,
} from './raw-gateway.ts'
import { chunk, headOf, type Line, lastChunk, type RawMessage, within } from './raw-http.ts'

/** The events of the ordinary stream: role, five contents, finish, usage, `[DONE]`. */
export const ordinaryEvents: readonly string[] = [
  event({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }),
  ...['One', ' two', ' three', ' four', ' five'].map((content) =>
    event({ choices: [{ index: 0, delta: { content } }] }),
  ),
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 } }),
  'data: [DONE]\n\n',
]
export const ordinaryBody = ordinaryEvents.join('')
/** Content events alone. */
export const contentEvents = ordinaryEvents.slice(1, 6)

export function event(data: unknown): string {
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', ...(data as object) })}\n\n`
}

export const streamLines: readonly string[] = ['content-type: text/event-stream', 'transfer-encoding: chunked']

/** Head of a chunked event stream. */
export function streamHead(...more: readonly string[]): Buffer {
  return headOf('HTTP/1.1 200 OK', [...streamLines, ...more])
}

/** The ordinary stream, one write an event. */
export const ordinaryStream: Script = async (_request, connection) => {
  await connection.write(streamHead())
  for (const text of ordinaryEvents) await connection.chunk(text)
  await connection.last()
}

/** An answer with its length. */
export function wholeAnswer(
  body: string | Buffer,
  type = 'application/json',
  status = '200 OK',
  ...more: readonly string[]
): Buffer {
  const bytes = Buffer.from(body as string)
  const lines = [`content-type: ${type}`, `content-length: ${bytes.length}`, ...more]
  return Buffer.concat([headOf(`HTTP/1.1 ${status}`, lines), bytes])
}

/** A whole body as HTTP chunks. */
export function chunked(...bodies: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat([...bodies.map(chunk), Buffer.from(lastChunk)])
}

export const chatBody = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Count.' }] })

export function chatRequest(lines: readonly string[] = [], body: string | Buffer = chatBody): Buffer {
  return requestBytes({
    method: 'POST',
    target: '/v1/chat/completions',
    lines: ['content-type: application/json', ...lines],
    body,
  })
}

/** Gateway and proxy of one replay. */
export interface Replay {
  readonly gateway: RawGateway
  readonly proxy: ProxyUnderTest
  /** One request on a connection of its own. */
  ask(bytes?: Buffer): Promise<RawAnswer>
  open(): Promise<RawClient>
}

export interface ReplayOptions extends ServiceOptions {
  readonly config?: ConfigChanges
  readonly gateway?: RawGatewayOptions
}

export async function startReplay(t: TestContext, script: Script, options: ReplayOptions = {}): Promise<Replay> {
  const { gateway: gatewayOptions, ...proxyOptions } = options
  const gateway = await startRawGateway(t, script, gatewayOptions)
  const proxy = await startProxy(t, gateway.url, proxyOptions)
  return {
    gateway,
    proxy,
    open: () => openRawClient(t, proxy.url),
    ask: async (bytes = chatRequest()) => (await openRawClient(t, proxy.url)).ask(bytes),
  }
}

/** What is sent through whole, for both kinds of request: the way differs little, the promises do not. */
export const bothKinds = [
  { kind: 'a generation', request: (): Buffer => chatRequest() },
  { kind: 'passed through', request: (): Buffer => requestBytes({ method: 'GET', target: '/v1/models' }) },
] as const

/** Lines of one connection, and the ones that frame a body: not end to end. */
const notEndToEnd = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
])

/** End-to-end lines, sorted by name; the order within a name stays. */
export function endToEnd(lines: readonly Line[], without: readonly string[] = []): string[] {
  return lines
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !notEndToEnd.has(name) && !without.includes(name))
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, value]) => `${name}: ${value}`)
}

export function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** EXACT: the client has what the gateway wrote: body, status, end-to-end lines, and a proper end. */
export async function assertExact(
  answer: RawAnswer,
  written: { readonly head: Buffer; readonly body: Buffer | string; readonly without?: readonly string[] },
): Promise<RawMessage> {
  const got = await answer.over()
  const [startLine = '', ...lines] = written.head.toString('latin1').trimEnd().split('\r\n')
  assert.equal(got.head?.startLine.split(' ')[1], startLine.split(' ')[1], 'status')
  assert.equal(got.complete, true, 'the answer was cut')
  const body = Buffer.from(written.body as string)
  assert.equal(got.body.length, body.length, 'length of the body')
  assert.equal(sha256(got.body), sha256(body), 'body')
  const sent = lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as Line)
  assert.deepEqual(endToEnd(got.head?.lines ?? [], written.without), endToEnd(sent, written.without), 'lines')
  return got
}

/**
 * EXACT-REQ: the gateway has what the client sent. Host is the gateway's own; a length may stand in for chunks.
 *
 * @param sent the client's request, whole
 */
export function assertExactRequest(
  got: RawMessage,
  sent: { readonly bytes: Buffer; readonly body: Buffer | string; readonly without?: readonly string[] },
): void {
  const head = sent.bytes.subarray(0, sent.bytes.indexOf('\r\n\r\n')).toString('latin1')
  const [startLine = '', ...lines] = head.split('\r\n')
  const [method, target] = startLine.split(' ')
  assert.deepEqual(got.head?.startLine, `${method} ${target} HTTP/1.1`)
  const body = Buffer.from(sent.body as string)
  assert.equal(got.body.length, body.length, 'length of the body')
  assert.equal(sha256(got.body), sha256(body), 'body')
  const without = ['host', 'content-length', 'expect', ...(sent.without ?? [])]
  const own = lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as Line)
  assert.deepEqual(endToEnd(got.head?.lines ?? [], without), endToEnd(own, without), 'lines')
}

/** OUT: exactly the records so far are counted, each with its outcome, and nothing is in flight. */
export async function assertOutcomes(
  proxy: ProxyUnderTest,
  ...expected: readonly Outcome[]
): Promise<StreamMeasurement[]> {
  const records: StreamMeasurement[] = []
  for (let n = 0; n < expected.length; n++) records.push(await within(proxy.measurement(n), `record ${n}`))
  assert.deepEqual(
    records.map(({ outcome }) => outcome),
    expected,
    records.map(({ error }) => error).join(', '),
  )
  const text = await proxy.metrics()
  assert.equal(sumIn(text, 'streamgauge_requests_total'), expected.length)
  for (const outcome of new Set(expected)) {
    const count = expected.filter((other) => other === outcome).length
    assert.equal(sumIn(text, 'streamgauge_requests_total', { outcome }), count, outcome)
  }
  assert.equal(sumIn(text, 'streamgauge_streams_in_flight'), 0, 'still in flight')
  assert.equal(proxy.measurements.length, expected.length, 'more was recorded than asked')
  return records
}

/** LIVE: the metrics parse, nothing of ours failed, and a fresh ordinary stream is exact. Replaces the gateway's script. */
export async function assertLive({ gateway, proxy, ask }: Replay): Promise<void> {
  const text = await proxy.metrics()
  const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
  // Exit code 3: the names are linted, some are a matter of taste; 1: it does not parse.
  if (checked.error === undefined) assert.ok(checked.status === 0 || checked.status === 3, checked.stderr)
  assert.deepEqual(proxy.faults, [])
  gateway.script = ordinaryStream
  await assertExact(await ask(), { head: streamHead(), body: ordinaryBody })
}

/** Writes pieces of a body one by one, each only after the client has the one before: nothing may be held back or joined. */
export async function playInStep(
  connection: RawConnection,
  answer: () => RawAnswer | Promise<RawAnswer>,
  pieces: readonly (string | Buffer)[],
): Promise<void> {
  let length = 0
  for (const piece of pieces) {
    await connection.chunk(piece)
    length += Buffer.from(piece as string).length
    await (await answer()).seen(length)
  }
}
