import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { Agent } from 'node:http'
import { type TestContext, test } from 'node:test'
import { linesPerSlice } from '../../src/report/exposition.ts'
import { completion, done, ending, finish, say, usageOf } from '../helpers/chat-events.ts'
import { readExposition, sumIn } from '../helpers/exposition.ts'
import { type HeldRequest, startHeldGateway } from '../helpers/held-gateway.ts'
import { type ProxyUnderTest, startProxy } from '../helpers/proxy-under-test.ts'
import { type ReadingClient, send } from '../helpers/reading-client.ts'
import { simulatedGateway } from '../helpers/simulated-gateway.ts'
import { requireTool } from '../helpers/tools.ts'

const openMetrics = 'application/openmetrics-text; version=1.0.0'

/** A bit of everything that can happen to a request. */
async function mixedTraffic(proxy: ProxyUnderTest): Promise<number> {
  const sim = { ttftMs: 5, tokensPerSecond: 2000, tokens: 30 }
  const failing = [{}, { fail: 'error', failAt: 3 }, { fail: 'truncate', failAt: 3 }, { fail: 'reset', failAt: -1 }]
  const bodies = [
    ...['fast', 'reasoning', 'bursty', 'hidden-reasoning', 'summarised-reasoning', 'cached', 'fallback', 'tools'].map(
      (name) => ({ model: `sim/${name}`, stream: true, stream_options: { include_usage: true }, sim }),
    ),
    ...failing.map((more) => ({ model: 'sim/fast', stream: true, sim: { ...sim, ...more } })),
    ...[429, 500, 404].map((status) => ({ model: 'sim/fast', stream: true, sim: { status } })),
    { model: 'sim/fast', stream: false, sim },
    { model: 'we"ird\\\n\u{1f30a}', stream: true },
  ]
  const messages = [{ role: 'user', content: 'x', cache_control: { type: 'ephemeral' } }]
  const asked = bodies.map((body) =>
    fetch(`${proxy.url}/@app-${body.model.length}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ ...body, messages }),
    }).then((answer) => answer.text().catch(() => '')),
  )
  const others = [
    fetch(`${proxy.url}/v1/models`).then((answer) => answer.text()),
    fetch(`${proxy.url}/v1/nothing`, { method: 'DELETE' }).then((answer) => answer.text()),
    fetch(`${proxy.url}//bad`).then((answer) => answer.text()),
  ]
  await Promise.all([...asked, ...others])
  return asked.length + others.length
}

for (const [format, accept] of [
  ['text', 'text/plain'],
  ['openmetrics', openMetrics],
] as const) {
  test(`after mixed traffic the ${format} form keeps to its rules`, { timeout: 20_000 }, async (t) => {
    const proxy = await startProxy(t, (await simulatedGateway(t)).url)
    const requests = await mixedTraffic(proxy)
    await proxy.measurement(requests - 1)
    const text = await proxy.metrics(accept)
    const families = readExposition(text, format)
    assert.ok(families.size > 40)
    assert.equal(sumIn(text, 'streamgauge_requests_total'), requests)
    assert.equal(sumIn(text, 'streamgauge_streams_in_flight'), 0)
    for (const { samples } of families.values()) {
      // Node's own may be NaN before they have measured anything.
      for (const { name, value } of samples)
        assert.ok(Number.isFinite(value) || name.startsWith('nodejs_'), `${name} is ${value}`)
    }
    if (format !== 'text' || !requireTool(t, 'promtool')) return
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' })
  })
}

/** A gateway that answers at once, with whatever model is asked. */
async function echoingProxy(t: TestContext, config = {}): Promise<ProxyUnderTest> {
  const gateway = await startHeldGateway(t)
  const answer = async (): Promise<void> => {
    for (;;) {
      const held = await gateway.next()
      const { model, stream } = JSON.parse(held.body.toString())
      held.head(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
      held.end(
        stream
          ? say('a', { model }) + finish('stop', { model, ...usageOf(1) })
          : completion('a', { model, provider: model, ...usageOf(1) }),
      )
    }
  }
  void answer()
  return startProxy(t, gateway.url, { config })
}

test('5000 invented model names cost no more than the bounds', { timeout: 60_000 }, async (t) => {
  const proxy = await echoingProxy(t)
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  t.after(() => agent.destroy())
  const asked = Array.from({ length: 5000 }, (_, index) => {
    const url = `${proxy.url}/@app${index}/v1/chat/completions`
    return send(url, { model: `invented-${index}`, stream: index % 50 === 0 }, { agent }).body
  })
  await Promise.all(asked)
  await proxy.measurement(4999)
  const text = await proxy.metrics()
  const families = readExposition(text, 'text')
  const valuesOf = (label: string): number => {
    const values = [...families.values()].flatMap(({ samples }) => samples.map(({ labels }) => labels[label] ?? ''))
    return new Set(values.filter((value) => value !== '')).size
  }
  // One more than the maximum: `other`.
  assert.equal(valuesOf('model'), 101)
  assert.equal(valuesOf('app'), 51)
  assert.equal(valuesOf('served_model'), 101)
  assert.equal(valuesOf('provider'), 101)
  const sum = (name: string, wanted: Record<string, string> = {}): number =>
    (families.get(`streamgauge_${name}`)?.samples ?? [])
      .filter(({ labels }) => Object.entries(wanted).every(([label, value]) => labels[label] === value))
      .reduce((total, { value }) => total + value, 0)
  const overflows = ['model', 'app', 'served_model', 'provider'].map((label) => sum('label_overflow_total', { label }))
  // The 100 streams name no provider.
  assert.deepEqual(overflows, [4900, 4950, 4900, 4800])
  // Sums stay exact.
  assert.equal(sum('requests_total'), 5000)
  assert.equal(sum('requests_total', { model: 'other' }), 4900)
  assert.equal(sum('tokens_total', { type: 'output' }), 5000)
  assert.equal(sum('served_by_total'), 5000)
})

test('a scrape of 20 000 series lets 50 streams go on between its slices', { timeout: 60_000 }, async (t) => {
  const labels = { maxModels: 200, maxApps: 50, maxSets: 1000 }
  const gateway = await startHeldGateway(t)
  const proxy = await startProxy(t, gateway.url, { config: { labels } })
  const open: { client: ReadingClient; held: HeldRequest }[] = []
  for (let index = 0; index < 150; index++) {
    const client = send(`${proxy.url}/v1/chat/completions`, { model: `m-${index}`, stream: true })
    const held = await gateway.next()
    held.head()
    if (index < 50) {
      held.write(say('first'))
      await client.seen('first')
      open.push({ client, held })
      continue
    }
    held.write(say('a'))
    await client.seen('"a"')
    held.end(say('b') + ending(2))
    await client.body
  }

  let turns = 0
  let scraping = true
  const turn = (): void => {
    if (!scraping) return
    turns++
    for (const { held } of open) held.write(say(`turn ${turns}`))
    setImmediate(turn)
  }
  setImmediate(turn)
  const before = turns
  const text = await proxy.metrics()
  scraping = false
  const lines = text.split('\n').length
  assert.ok(lines > 20_000, `${lines} series`)
  // The loop had at least one turn for each slice, and what came in it was passed on.
  assert.ok(turns - before >= lines / (2 * linesPerSlice), `${turns - before} turns for ${lines} lines`)
  for (const { client, held } of open) {
    held.end(finish() + done)
    const events = (await client.body).toString().match(/turn \d+/g) ?? []
    assert.deepEqual(
      events,
      Array.from({ length: turns }, (_, index) => `turn ${index + 1}`),
    )
  }
  await proxy.measurement(149)
  assert.equal(sumIn(await proxy.metrics(), 'streamgauge_requests_total', { outcome: 'ok' }), 150)
})
