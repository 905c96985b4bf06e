import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Recorder } from '../../src/measurement/recorder.ts'
import type { ServiceOptions } from '../../src/service.ts'
import { OutputTally } from '../../src/stream/output-tally.ts'
import { StreamAccumulator } from '../../src/stream/stream-accumulator.ts'
import { AnswerReader } from '../../src/wire/answer-reader.ts'
import { ending, role, say } from '../helpers/chat-events.ts'
import { sumIn, valueIn } from '../helpers/exposition.ts'
import { startHeldGateway } from '../helpers/held-gateway.ts'
import { type ConfigChanges, type ProxyUnderTest, startProxy } from '../helpers/proxy-under-test.ts'
import { send } from '../helpers/reading-client.ts'
import { slowClient } from '../helpers/slow-client.ts'

const limit = { timeout: 10_000 }
const parts = [role, say('one'), say('two'), say('three'), ending(3)]

class Broken extends Error {}
const fails = (): never => {
  throw new Broken('on purpose')
}

/** Two streams, one after the other, byte-exact; the second with what was broken healed where `heal` says so. */
async function twoStreams(
  t: TestContext,
  options: ServiceOptions & { config?: ConfigChanges } = {},
  compressed = false,
): Promise<ProxyUnderTest> {
  const gateway = await startHeldGateway(t)
  const proxy = await startProxy(t, gateway.url, options)
  for (let index = 0; index < 2; index++) {
    const client = send(`${proxy.url}/v1/chat/completions`, { model: `m-${index}`, stream: true })
    const held = await gateway.next()
    const head = { 'content-type': 'text/event-stream', ...(compressed && { 'content-encoding': 'gzip' }) }
    held.head(200, head)
    await client.head
    const bytes = compressed ? [gzipSync(parts.join(''))] : parts.map((part) => Buffer.from(part))
    let length = 0
    for (const part of bytes) {
      held.write(part)
      length += part.length
      await client.received(length)
    }
    held.end()
    assert.deepEqual(await client.body, Buffer.concat(bytes))
    await proxy.measurement(index)
  }
  return proxy
}

/** Both are counted once, nothing is left in flight, and the process has heard of no unhandled error. */
async function assertCounted(proxy: ProxyUnderTest, errors: Record<string, number>): Promise<string> {
  const text = await proxy.metrics()
  assert.equal(sumIn(text, 'streamgauge_requests_total'), 2)
  assert.equal(sumIn(text, 'streamgauge_streams_in_flight'), 0)
  assert.equal(sumIn(text, 'streamgauge_streams_awaiting_first_token'), 0)
  for (const stage of ['framing', 'json', 'decode', 'skipped', 'observer']) {
    assert.equal(valueIn(text, 'streamgauge_measurement_errors_total', { stage }), errors[stage] ?? 0, stage)
  }
  return text
}

/** What was read of the answer cannot be told at the end. */
function spoilFacts(t: TestContext): void {
  t.mock.method(AnswerReader.prototype, 'end', function (this: AnswerReader) {
    Object.defineProperty(this.facts, 'usage', { get: fails })
  })
}

const breaks: [string, (t: TestContext) => void, string][] = [
  ['the reader', (t) => void t.mock.method(AnswerReader.prototype, 'push', fails), 'framing'],
  ['the reader at the end', (t) => void t.mock.method(AnswerReader.prototype, 'end', fails), 'framing'],
  ['the observer at the head', (t) => void t.mock.method(StreamAccumulator.prototype, 'head', fails), 'observer'],
  ['the observer at every chunk', (t) => void t.mock.method(StreamAccumulator.prototype, 'chunk', fails), 'observer'],
  ['the observer when it is sent', (t) => void t.mock.method(StreamAccumulator.prototype, 'sent', fails), 'observer'],
  ['counting an event', (t) => void t.mock.method(OutputTally.prototype, 'add', fails), 'framing'],
  ['making the record', spoilFacts, 'observer'],
]

for (const [what, breakIt, stage] of breaks) {
  for (const compressed of [false, true]) {
    const how = compressed ? ' of a compressed answer' : ''
    test(`${what}${how} throws: the stream goes on, and it is counted`, limit, async (t) => {
      breakIt(t)
      const proxy = await twoStreams(t, {}, compressed)
      for (const { outcome, measurementErrors } of proxy.measurements) {
        assert.equal(outcome, 'ok')
        assert.equal(measurementErrors.length, 1)
      }
      assert.match(JSON.stringify(proxy.log[0]?.['flags']), /measuring_failed/)
      // What throws while a decoded copy is read ends the decoding.
      const counted = compressed && stage === 'framing' ? proxy.measurements[0]?.measurementErrors[0] : stage
      await assertCounted(proxy, { [counted as string]: 2 })
    })
  }
}

for (const what of ['paused', 'resumed'] as const) {
  test(`an observer that throws when the gateway is ${what}: the stream goes on`, limit, async (t) => {
    t.mock.method(StreamAccumulator.prototype, what, fails)
    const slow = slowClient(t)
    const gateway = await startHeldGateway(t)
    const proxy = await startProxy(t, gateway.url)
    const client = send(`${proxy.url}/v1/chat/completions`, { model: 'm', stream: true })
    const held = await gateway.next()
    held.head()
    await client.head
    slow.stop()
    held.write(say('one'))
    await client.seen('one')
    slow.read()
    held.end(say('two') + ending(2))
    assert.equal((await client.body).toString(), say('one') + say('two') + ending(2))
    assert.equal((await proxy.measurement()).outcome, 'ok')
    const text = await proxy.metrics()
    assert.equal(valueIn(text, 'streamgauge_measurement_errors_total', { stage: 'observer' }), 1)
    assert.equal(sumIn(text, 'streamgauge_requests_total'), 1)
    assert.deepEqual(proxy.faults, ['an observer failed; its exchange is no longer measured'])
  })
}

test('recorders that throw: all others are told, and each is counted once an exchange', limit, async (t) => {
  const told: string[] = []
  const listening: Recorder = {
    started: () => void told.push('started'),
    firstToken: () => void told.push('first token'),
    ended: () => void told.push('ended'),
  }
  const broken = (['started', 'firstToken', 'ended'] as const).map((name): Recorder => {
    const silent: Recorder = { started: () => {}, firstToken: () => {}, ended: () => {} }
    return { ...silent, [name]: fails }
  })
  const proxy = await twoStreams(t, { recorders: [...broken, listening] })
  assert.deepEqual(told, ['started', 'first token', 'ended', 'started', 'first token', 'ended'])
  const text = await assertCounted(proxy, { observer: 6 })
  assert.equal(valueIn(text, 'streamgauge_time_to_first_token_seconds_count', { model: 'm-0' }), 1)
})

test('a log that cannot be written: metrics and page go on', limit, async (t) => {
  const proxy = await twoStreams(t, { log: { write: fails } })
  await assertCounted(proxy, { observer: 2 })
})

test('a full label table: the stream goes on under other, and it is counted', limit, async (t) => {
  const proxy = await twoStreams(t, { config: { labels: { maxSets: 1 } } })
  const text = await assertCounted(proxy, {})
  const overflow = (label: string): number | undefined => valueIn(text, 'streamgauge_label_overflow_total', { label })
  assert.deepEqual(['set', 'model'].map(overflow), [1, 0])
  const requests = (model: string, app: string): number =>
    sumIn(text, 'streamgauge_requests_total', { model, app, outcome: 'ok' })
  assert.deepEqual([requests('m-0', ''), requests('other', 'other')], [1, 1])
})

test('a full table of models', limit, async (t) => {
  const proxy = await twoStreams(t, { config: { labels: { maxModels: 1 } } })
  const text = await assertCounted(proxy, {})
  assert.equal(valueIn(text, 'streamgauge_label_overflow_total', { label: 'model' }), 1)
  assert.equal(sumIn(text, 'streamgauge_requests_total', { model: 'other' }), 1)
})

test('what is passed through goes on, too', limit, async (t) => {
  t.mock.method(StreamAccumulator.prototype, 'chunk', fails)
  const gateway = await startHeldGateway(t)
  const proxy = await startProxy(t, gateway.url)
  const client = send(`${proxy.url}/v1/models`, undefined, { method: 'GET' })
  const held = await gateway.next()
  held.head(200, { 'content-type': 'application/json' })
  held.write('{"data":')
  await client.seen('data')
  held.end('[]}')
  assert.equal((await client.body).toString(), '{"data":[]}')
  await proxy.measurement()
  const text = await proxy.metrics()
  assert.equal(sumIn(text, 'streamgauge_requests_total', { outcome: 'ok' }), 1)
  assert.equal(valueIn(text, 'streamgauge_measurement_errors_total', { stage: 'observer' }), 1)
})
