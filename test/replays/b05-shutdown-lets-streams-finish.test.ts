import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sumIn } from '../helpers/exposition.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { type RawConnection, type Script, startRawGateway } from '../helpers/raw-gateway.ts'
import { within } from '../helpers/raw-http.ts'
import { chatRequest, ordinaryBody, ordinaryEvents, streamHead, wholeAnswer } from '../helpers/replay.ts'
import { type ServedProcess, serveProcess } from '../helpers/served-process.ts'

const half = ordinaryEvents.slice(0, 4).join('')
const rest = ordinaryEvents.slice(4).join('')

/** A gateway that sends half of a stream and keeps the rest until it is told. */
async function heldStream(t: TestContext, yaml = '') {
  const streams: RawConnection[] = []
  const script: Script = async (request, connection) => {
    if (request.head?.startLine.startsWith('GET')) return connection.write(wholeAnswer('{}'))
    streams.push(connection)
    await connection.write(streamHead())
    await connection.chunk(half)
  }
  const gateway = await startRawGateway(t, script)
  const served = await serveProcess(t, gateway.url, { yaml })
  return { gateway, served, streams }
}

async function finish(connection: RawConnection | undefined): Promise<void> {
  await connection?.chunk(rest)
  await connection?.last()
}

/** Asks until the answer is so; every other is passed over. */
async function until(served: ServedProcess, path: string, status: number): Promise<string> {
  for (;;) {
    const answer = await served.get(path)
    if (answer.status === status) return answer.text
  }
}

test('B05 a: the stream ends whole, idle and silent connections do not hold it, and the exit code is 0', async (t) => {
  const { served, streams } = await heldStream(t, 'proxy: { drain: 9s }')
  const running = await openRawClient(t, served.proxyUrl)
  const answer = running.ask(chatRequest())
  await answer.seen(half)
  const silent = await openRawClient(t, served.proxyUrl)
  const idle = await openRawClient(t, served.proxyUrl)
  assert.equal((await idle.ask(requestBytes()).over()).status, 200)
  assert.equal((await served.get('readyz')).status, 200)

  served.kill('SIGTERM')
  await within(Promise.all([silent.closed, idle.closed]), 'the end of silent and idle connections')
  assert.deepEqual([answer.message.complete, answer.message.body.toString()], [false, half])
  assert.equal((await served.get('readyz')).status, 503)
  await assert.rejects(openRawClient(t, served.proxyUrl), { code: 'ECONNREFUSED' })
  assert.equal(sumIn((await served.get('metrics')).text, 'streamgauge_streams_in_flight'), 1)

  await finish(streams[0])
  const got = await answer.over()
  assert.deepEqual([got.complete, got.body.toString()], [true, ordinaryBody])
  // A last scrape, after the last stream and before the end.
  const text = (await served.get('metrics')).text
  assert.equal(sumIn(text, 'streamgauge_requests_total', { outcome: 'ok' }), 2)
  assert.equal(sumIn(text, 'streamgauge_streams_in_flight'), 0)
  assert.deepEqual(await within(served.exited, 'the exit'), { code: 0, signal: null })
  assert.equal(served.lines().at(-1)?.['exit_code'], 0)
})

test('B05 b: at the drain limit the stream is cut visibly, counted as shutdown, and the exit code is 0', async (t) => {
  const { served } = await heldStream(t, 'proxy: { drain: 300ms }')
  const answer = (await openRawClient(t, served.proxyUrl)).ask(chatRequest())
  await answer.seen(half)
  served.kill('SIGTERM')
  const got = await answer.over()
  assert.deepEqual([got.complete, got.body.toString()], [false, half])
  const text = (await served.get('metrics')).text
  assert.equal(sumIn(text, 'streamgauge_requests_total'), 1)
  assert.equal(sumIn(text, 'streamgauge_requests_total', { outcome: 'shutdown' }), 1)
  assert.equal(sumIn(text, 'streamgauge_time_to_first_token_seconds_count'), 1)
  assert.deepEqual(await within(served.exited, 'the exit'), { code: 0, signal: null })
  const line = served.lines().find(({ msg }) => msg === 'exchange')
  assert.deepEqual([line?.['outcome'], line?.['error']], ['shutdown', 'shutdown'])
  assert.equal(served.lines().find(({ msg }) => msg === 'streams cut at the end of the drain')?.['streams'], 1)
})

test('B05 b: what was not answered yet gets an error that says why', async (t) => {
  const gateway = await startRawGateway(t)
  const served = await serveProcess(t, gateway.url, { yaml: 'proxy: { drain: 300ms }' })
  const answer = (await openRawClient(t, served.proxyUrl)).ask(chatRequest())
  await gateway.request(0)
  served.kill('SIGTERM')
  const got = await answer.over()
  assert.equal(got.status, 503)
  assert.match(got.body.toString(), /"code":"draining"/)
  assert.deepEqual(got.values('connection'), ['close'])
  assert.deepEqual(await within(served.exited, 'the exit'), { code: 0, signal: null })
  assert.equal(served.lines().find(({ msg }) => msg === 'exchange')?.['outcome'], 'shutdown')
})

test('B05 c: a second signal ends the process at once with 1', async (t) => {
  const { served } = await heldStream(t)
  const answer = (await openRawClient(t, served.proxyUrl)).ask(chatRequest())
  await answer.seen(half)
  served.kill('SIGTERM')
  await served.logged('draining: running streams may finish')
  served.kill('SIGINT')
  assert.deepEqual(await within(served.exited, 'the exit'), { code: 1, signal: null })
  assert.equal((await answer.over()).complete, false)
})

test('B05 d: a request on a kept connection that races with the signal is answered, or its connection ends', async (t) => {
  const { served, streams } = await heldStream(t)
  const holding = (await openRawClient(t, served.proxyUrl)).ask(chatRequest())
  await holding.seen(half)
  const kept = await openRawClient(t, served.proxyUrl)
  await kept.ask(requestBytes()).over()
  // The head has begun before the signal.
  const request = requestBytes()
  await kept.write(request.subarray(0, 20))
  served.kill('SIGTERM')
  await until(served, 'readyz', 503)
  const answer = kept.ask(request.subarray(20))
  const got = await answer.over()
  if (got.head !== undefined) {
    assert.equal(got.status, 200)
    assert.deepEqual(got.values('connection'), ['close'])
  }
  await kept.closed
  await finish(streams[0])
  assert.deepEqual(await within(served.exited, 'the exit'), { code: 0, signal: null })
})

test('B05 e: an upload that has begun is carried to its end, and its answer closes the connection', async (t) => {
  const gateway = await startRawGateway(t, (_request, connection) => connection.write(wholeAnswer('{}')))
  const served = await serveProcess(t, gateway.url)
  const client = await openRawClient(t, served.proxyUrl)
  const request = chatRequest()
  const answer = client.expect('POST')
  await client.write(request.subarray(0, -10))
  // Nothing tells from outside that the head has been read, but for the answer to a request that came after it.
  await (await openRawClient(t, served.proxyUrl)).ask(requestBytes()).over()
  served.kill('SIGTERM')
  await until(served, 'readyz', 503)
  await client.write(request.subarray(-10))
  const got = await answer.over()
  assert.deepEqual([got.status, got.values('connection')], [200, ['close']])
  assert.deepEqual(await within(served.exited, 'the exit'), { code: 0, signal: null })
})

test('B05 f: a client that reads nothing does not hold the end beyond the drain', async (t) => {
  const gateway = await startRawGateway(t, async (_request, connection) => {
    await connection.write(streamHead())
    await connection.chunk(Buffer.alloc(64 * 2 ** 20, 'a'))
    await connection.last()
  })
  const served = await serveProcess(t, gateway.url, { yaml: 'proxy: { drain: 300ms }' })
  const client = await openRawClient(t, served.proxyUrl)
  const answer = client.ask(chatRequest())
  await answer.head()
  client.socket.pause()
  served.kill('SIGTERM')
  assert.deepEqual(await within(served.exited, 'the exit'), { code: 0, signal: null })
  client.socket.resume()
  assert.equal((await answer.over()).complete, false)
})

test('B05 g: a client that had connected when the signal came is served, accepted or not', async (t) => {
  const gateway = await startRawGateway(t, (_request, connection) => connection.write(wholeAnswer('{}')))
  const served = await serveProcess(t, gateway.url)
  const accepted = await openRawClient(t, served.proxyUrl)
  await (await openRawClient(t, served.proxyUrl)).ask(requestBytes()).over()
  // The kernel takes connections for a process that stands still: they wait in its queue.
  served.kill('SIGSTOP')
  const waiting = await openRawClient(t, served.proxyUrl)
  const answers = [accepted, waiting].map((client) => client.ask(chatRequest()))
  served.kill('SIGTERM')
  served.kill('SIGCONT')
  for (const answer of answers) {
    const got = await answer.over()
    assert.deepEqual([got.status, got.values('connection')], [200, ['close']])
  }
  assert.deepEqual(await within(served.exited, 'the exit'), { code: 0, signal: null })
  assert.equal(served.lines().filter(({ outcome }) => outcome === 'ok').length, 3)
})

test('B05 h: with drainDelay new clients are served while /readyz says 503, and not afterwards', async (t) => {
  const { served, streams } = await heldStream(t, 'proxy: { drainDelay: 2s }')
  const holding = (await openRawClient(t, served.proxyUrl)).ask(chatRequest())
  await holding.seen(half)
  const kept = await openRawClient(t, served.proxyUrl)
  await kept.ask(requestBytes()).over()
  served.kill('SIGTERM')
  await until(served, 'readyz', 503)
  for (const client of [kept, await openRawClient(t, served.proxyUrl)]) {
    const got = await client.ask(requestBytes()).over()
    assert.deepEqual([got.status, got.values('connection')], [200, ['close']])
  }
  for (let refused = false; !refused; )
    refused = await openRawClient(t, served.proxyUrl).then(
      ({ socket }) => !socket.destroy(),
      ({ code }) => code === 'ECONNREFUSED',
    )
  await finish(streams[0])
  assert.equal((await holding.over()).complete, true)
  assert.deepEqual(await within(served.exited, 'the exit'), { code: 0, signal: null })
})

test('B05 i: drainDelay is a part of drain', async (t) => {
  const gateway = await startRawGateway(t)
  const served = await serveProcess(t, gateway.url, { yaml: 'proxy: { drainDelay: 1h, drain: 300ms }' })
  served.kill('SIGTERM')
  assert.deepEqual(await within(served.exited, 'the exit'), { code: 0, signal: null })
})
