import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { readExposition, sumIn, valueIn } from '../helpers/exposition.ts'
import { HeldClock } from '../helpers/held-clock.ts'
import { eventually } from '../helpers/process-state.ts'
import { startProxy } from '../helpers/proxy-under-test.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { startRawGateway } from '../helpers/raw-gateway.ts'
import {
  assertExact,
  assertOutcomes,
  chatRequest,
  contentEvents,
  event,
  ordinaryBody,
  ordinaryEvents,
  ordinaryStream,
  startReplay,
  streamHead,
  wholeAnswer,
} from '../helpers/replay.ts'
import { serveProcess } from '../helpers/served-process.ts'

test('B55 a: the wall clock steps forth and back in the middle of a stream; the figures know nothing of it', async (t) => {
  const clock = new HeldClock()
  let wall = 1_800_000_000_000
  const gateway = await startRawGateway(t, async (_request, connection) => {
    clock.set(100)
    wall += 2000
    await connection.write(streamHead())
    await connection.chunk(contentEvents[0] as string)
    await answer.seen(contentEvents[0] as string)
    wall -= 86_400_000
    clock.set(300)
    await connection.chunk(ordinaryEvents.slice(2).join(''))
    await connection.last()
  })
  const proxy = await startProxy(t, gateway.url, { clock, idle: clock, wallClock: () => wall })
  const answer = (await openRawClient(t, proxy.url)).ask(chatRequest())
  await answer.over()
  const [record] = await assertOutcomes(proxy, 'ok')
  const marks = record?.marks
  assert.equal((marks?.firstToken ?? 0) - (marks?.dispatched ?? 0), 100)
  assert.equal((marks?.ended ?? 0) - (marks?.dispatched ?? 0), 300)
  assert.equal(record?.identity.startedAt, 1_800_000_000_000)
  assert.ok(sumIn(await proxy.metrics(), 'streamgauge_time_to_first_token_seconds_sum') === 0.1)
})

const usages: readonly { name: string; usage: string | undefined; output: number | undefined }[] = [
  { name: 'missing', usage: undefined, output: undefined },
  { name: 'null', usage: 'null', output: undefined },
  { name: '0', usage: '{"completion_tokens":0}', output: 0 },
  { name: '1', usage: '{"completion_tokens":1}', output: 1 },
  { name: 'negative', usage: '{"completion_tokens":-5}', output: undefined },
  { name: 'a string', usage: '{"completion_tokens":"5"}', output: undefined },
  { name: '1e308', usage: '{"completion_tokens":1e308}', output: undefined },
  { name: 'beyond numbers', usage: '{"completion_tokens":1e999}', output: undefined },
  { name: 'a fraction', usage: '{"completion_tokens":5.5}', output: undefined },
  { name: 'an object', usage: '{"completion_tokens":{"a":1}}', output: undefined },
  { name: 'an array', usage: '[5]', output: undefined },
  { name: 'NaN, which is no JSON', usage: '{"completion_tokens":NaN}', output: undefined },
]

for (const { name, usage, output } of usages) {
  test(`B55 b: usage is ${name}: EXACT, and no sample that cannot be`, async (t) => {
    const last = usage === undefined ? [] : [`data: {"choices":[],"usage":${usage}}\n\n`]
    const body = [...ordinaryEvents.slice(0, 7), ...last, 'data: [DONE]\n\n'].join('')
    const replay = await startReplay(t, async (_request, connection) => {
      await connection.write(streamHead())
      await connection.chunk(body)
      await connection.last()
    })
    await assertExact(await replay.ask(), { head: streamHead(), body })
    const [record] = await assertOutcomes(replay.proxy, 'ok')
    // What is no count of tokens may be left out or kept as told; it never becomes a sample.
    if (output !== undefined) assert.equal(record?.tokens?.output, output)
    const text = await replay.proxy.metrics()
    for (const [family, { samples }] of readExposition(text, 'text')) {
      for (const { value } of samples) assert.ok(Number.isFinite(value) && value >= 0, `${family} holds ${value}`)
    }
    assert.equal(sumIn(text, 'streamgauge_output_tokens_per_second_count'), 0)
    assert.equal(sumIn(text, 'streamgauge_unmeasured_total', { figure: 'output_tokens_per_second' }), 1)
    assert.equal(sumIn(text, 'streamgauge_time_to_first_token_seconds_count'), 1)
    assert.deepEqual(replay.proxy.faults, [])
  })
}

test('B55 b: first and last token in one read: a TTFT, no rate, and the reason', async (t) => {
  const body = [
    event({ choices: [{ index: 0, delta: { content: 'x '.repeat(100) }, finish_reason: 'stop' }] }),
    event({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 100 } }),
    'data: [DONE]\n\n',
  ].join('')
  const replay = await startReplay(t, async (_request, connection) => {
    await connection.write(streamHead())
    await connection.chunk(body)
    await connection.last()
  })
  await assertExact(await replay.ask(), { head: streamHead(), body })
  await assertOutcomes(replay.proxy, 'ok')
  const text = await replay.proxy.metrics()
  assert.equal(sumIn(text, 'streamgauge_time_to_first_token_seconds_count'), 1)
  for (const figure of ['output_tokens_per_second', 'time_per_output_token_seconds']) {
    assert.equal(sumIn(text, `streamgauge_${figure}_count`), 0)
    assert.equal(sumIn(text, 'streamgauge_unmeasured_total', { figure }), 1)
  }
})

test('B55 c: an answer that comes before the request is whole', async (t) => {
  const replay = await startReplay(
    t,
    async (_request, connection) => {
      await connection.write(wholeAnswer('{"error":"too large"}', 'application/json', '413 Payload Too Large'))
    },
    { gateway: { at: 'head' } },
  )
  const client = await openRawClient(t, replay.proxy.url)
  const request = requestBytes({ method: 'POST', target: '/v1/files', body: 'x'.repeat(100_000) })
  const answer = client.ask(request.subarray(0, 1000), 'POST')
  const got = await answer.over()
  assert.deepEqual([got.status, got.body.toString()], [413, '{"error":"too large"}'])
  const [record] = await assertOutcomes(replay.proxy, 'http_4xx')
  for (const mark of Object.values(record?.marks ?? {})) assert.ok(mark === undefined || Number.isFinite(mark))
  assert.ok((record?.marks.ended ?? 0) >= (record?.marks.dispatched ?? 0))
})

test('B55 d: a process that was stopped says how long, and goes on', { timeout: 60_000 }, async (t) => {
  const gateway = await startRawGateway(t, ordinaryStream)
  const served = await serveProcess(t, gateway.url)
  const stalled = async (): Promise<number> =>
    valueIn((await served.get('metrics')).text, 'streamgauge_event_loop_stall_max_seconds') ?? -1
  await stalled()
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  gateway.script = async (_request, connection) => {
    await connection.write(streamHead())
    await connection.chunk(ordinaryEvents.slice(0, 3).join(''))
    await released
    await connection.chunk(ordinaryEvents.slice(3).join(''))
    await connection.last()
  }
  const answer = (await openRawClient(t, served.proxyUrl)).ask(chatRequest())
  await answer.seen(ordinaryEvents[2] as string)
  served.kill('SIGSTOP')
  release()
  await pause(2000)
  assert.equal(answer.message.complete, false)
  served.kill('SIGCONT')
  await assertExact(answer, { head: streamHead(), body: ordinaryBody })
  await eventually(stalled, (seconds) => seconds >= 1.9, 'a stall of 2 s')
  const text = (await served.get('metrics')).text
  assert.ok(sumIn(text, 'streamgauge_event_loop_stall_seconds_sum') >= 1.9)
  assert.equal(sumIn(text, 'streamgauge_requests_total', { outcome: 'ok' }), 1)
})
