import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { startProxy } from '../helpers/proxy-under-test.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { type RawMessage, within } from '../helpers/raw-http.ts'
import { assertLive, assertOutcomes, bothKinds, chatRequest, startReplay } from '../helpers/replay.ts'

/** An error in OpenAI's form that says who made it and names nothing it should not. */
function assertProxyError(answer: RawMessage, status: number, code: string): void {
  assert.equal(answer.status, status)
  assert.equal(answer.complete, true)
  assert.match(answer.values('content-type')[0] ?? '', /^application\/json/)
  const { error } = JSON.parse(answer.body.toString()) as { error: Record<string, string> }
  assert.equal(error['code'], code)
  assert.match(error['message'] ?? '', /^Streamgauge: /)
  assert.equal(typeof error['type'], 'string')
  assert.doesNotMatch(answer.bytes.toString('latin1'), /user|secret|127\.0\.0\.1|invalid\.?[:/]/)
}

for (const { kind, request } of bothKinds) {
  test(`B11 a: reset after the request, ${kind}: 502 and reset`, async (t) => {
    const replay = await startReplay(t, (_request, connection) => connection.reset())
    assertProxyError(await (await replay.ask(request())).over(), 502, 'reset')
    const [record] = await assertOutcomes(replay.proxy, 'gateway_error')
    assert.equal(record?.error, 'reset')
    assert.equal(replay.gateway.requests.length, 1)
    await assertLive(replay)
  })

  test(`B11 b: FIN after the request, ${kind}: 502 and closed`, async (t) => {
    const replay = await startReplay(t, (_request, connection) => connection.fin())
    assertProxyError(await (await replay.ask(request())).over(), 502, 'closed')
    const [record] = await assertOutcomes(replay.proxy, 'gateway_error')
    assert.equal(record?.error, 'closed')
    assert.equal(replay.gateway.requests.length, 1)
  })

  for (const { name, bytes, end } of [
    { name: 'half a status line', bytes: 'HTTP/1.1 20', end: 'fin' },
    { name: 'half a head', bytes: 'HTTP/1.1 200 OK\r\ncontent-type: te', end: 'fin' },
    { name: 'half a head', bytes: 'HTTP/1.1 200 OK\r\ncontent-type: te', end: 'reset' },
  ] as const) {
    test(`B11 ${name} and ${end}, ${kind}: 502, never half an answer`, async (t) => {
      const replay = await startReplay(t, async (_request, connection) => {
        await connection.write(bytes)
        connection[end]()
      })
      const answer = await (await replay.ask(request())).over()
      assert.equal(answer.status, 502)
      await assertOutcomes(replay.proxy, 'gateway_error')
      assert.equal(replay.gateway.requests.length, 1)
    })
  }

  for (const { name, bytes } of [
    { name: 'no HTTP', bytes: 'SSH-2.0-OpenSSH_9.2\r\n' },
    { name: 'a bad status', bytes: 'HTTP/1.1 2xx OK\r\n\r\n' },
    {
      name: 'a switch of protocols that nobody asked for',
      bytes: 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    },
    { name: 'NUL in a line', bytes: 'HTTP/1.1 200 OK\r\nx: a\0b\r\ncontent-length: 0\r\n\r\n' },
    { name: 'HTTP/2', bytes: '\0\0\x12\x04\0\0\0\0\0' },
  ]) {
    test(`B11 ${name}, ${kind}: 502 and malformed_answer`, async (t) => {
      const replay = await startReplay(t, (_request, connection) => connection.write(bytes))
      assertProxyError(await (await replay.ask(request())).over(), 502, 'malformed_answer')
      const [record] = await assertOutcomes(replay.proxy, 'gateway_error')
      assert.equal(record?.error, 'malformed_answer')
      await assertLive(replay)
    })
  }
}

async function ask(t: TestContext, gatewayUrl: string, connectMs = 10_000) {
  const proxy = await startProxy(t, gatewayUrl, { config: { gateways: [{ timeouts: { connect: connectMs } }] } })
  const answers: RawMessage[] = []
  for (const bytes of [chatRequest(), requestBytes()]) {
    answers.push(await (await openRawClient(t, proxy.url)).ask(bytes).over())
  }
  return { proxy, answers }
}

test('B11 c: nobody listens: 502 and refused', async (t) => {
  const replay = await startReplay(t, () => {})
  await replay.gateway.close()
  for (const bytes of [chatRequest(), requestBytes()]) {
    assertProxyError(await (await replay.ask(bytes)).over(), 502, 'refused')
  }
  const records = await assertOutcomes(replay.proxy, 'gateway_error', 'gateway_error')
  assert.deepEqual(
    records.map(({ error }) => error),
    ['refused', 'refused'],
  )
})

test('B11 d: the name does not resolve: 502 and dns', async (t) => {
  const { proxy, answers } = await ask(t, 'http://gateway.invalid/v1')
  for (const answer of answers) assertProxyError(answer, 502, 'dns')
  const records = await assertOutcomes(proxy, 'gateway_error', 'gateway_error')
  assert.deepEqual(
    records.map(({ error }) => error),
    ['dns', 'dns'],
  )
})

/** A listener that accepts nothing and whose queue is full, so that the kernel drops what knocks. */
async function deafListener(t: TestContext): Promise<string | undefined> {
  const code = `const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port) + '\\n'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) })`
  const child: ChildProcess = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const [line] = await within(once(child.stdout as NodeJS.ReadableStream, 'data'), 'the port')
  const port = Number(String(line))
  for (let n = 0; n < 16; n++) {
    const filler = connect(port, '127.0.0.1').on('error', () => {})
    t.after(() => filler.destroy())
    const full = new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 300))
    if (await Promise.race([full, once(filler, 'connect').then(() => false)])) return `http://127.0.0.1:${port}/v1`
  }
  return undefined
}

test('B11 e: the connection is never made: 504 that names the limit, and gateway_timeout', async (t) => {
  const url = await deafListener(t)
  if (url === undefined) return t.skip('this system accepts connections for a listener whose queue is full')
  const { proxy, answers } = await ask(t, url, 200)
  for (const answer of answers) {
    assertProxyError(answer, 504, 'connect_timeout')
    assert.match(answer.body.toString(), /timeouts\.connect/)
  }
  const records = await assertOutcomes(proxy, 'gateway_timeout', 'gateway_timeout')
  assert.deepEqual(
    records.map(({ error }) => error),
    ['connect_timeout (200ms)', 'connect_timeout (200ms)'],
  )
})

test('B11 e: a TLS handshake that is never answered is the same', async (t) => {
  const replay = await startReplay(t, () => {})
  const { proxy, answers } = await ask(t, `https://127.0.0.1:${replay.gateway.port}/v1`, 200)
  for (const answer of answers) assertProxyError(answer, 504, 'connect_timeout')
  await assertOutcomes(proxy, 'gateway_timeout', 'gateway_timeout')
})
