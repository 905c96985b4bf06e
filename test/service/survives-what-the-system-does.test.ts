import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { sumIn } from '../helpers/exposition.ts'
import { descriptorsOf, eventually } from '../helpers/process-state.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { type RawConnection, startRawGateway } from '../helpers/raw-gateway.ts'
import { within } from '../helpers/raw-http.ts'
import {
  assertExact,
  chatRequest,
  ordinaryBody,
  ordinaryEvents,
  ordinaryStream,
  streamHead,
  wholeAnswer,
} from '../helpers/replay.ts'
import { serveProcess } from '../helpers/served-process.ts'
import { requireTool } from '../helpers/tools.ts'

const begun = ordinaryEvents.slice(0, 3).join('')
const rest = ordinaryEvents.slice(3).join('')

/** A gateway in a process of its own, that sends half a stream and waits. */
async function gatewayProcess(t: TestContext, port = 0) {
  const code = `const server = require('node:http').createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(process.argv[1])
    })
  }).listen(Number(process.argv[2]), '127.0.0.1', () => console.log(server.address().port))`
  const child = spawn(process.execPath, ['-e', code, begun, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const [line] = await within(once(child.stdout, 'data'), 'the port')
  return { child, port: Number(String(line)) }
}

test('the gateway is killed in the middle of a stream: a visible cut, counted, and the next gateway is used', {
  timeout: 60_000,
}, async (t) => {
  const first = await gatewayProcess(t)
  const served = await serveProcess(t, `http://127.0.0.1:${first.port}/v1`)
  const answers = []
  for (let n = 0; n < 5; n++) answers.push((await openRawClient(t, served.proxyUrl)).ask(chatRequest()))
  for (const answer of answers) await answer.seen(begun)
  first.child.kill('SIGKILL')
  for (const answer of answers) {
    const got = await answer.over()
    assert.deepEqual([got.status, got.complete, got.body.toString()], [200, false, begun])
  }
  const dead = await (await openRawClient(t, served.proxyUrl)).ask(chatRequest()).over()
  assert.equal(dead.status, 502)
  await gatewayProcess(t, first.port)
  const again = (await openRawClient(t, served.proxyUrl)).ask(chatRequest())
  await again.seen(begun)
  const text = (await served.get('metrics')).text
  assert.equal(sumIn(text, 'streamgauge_requests_total', { outcome: 'gateway_error' }), 6)
  assert.equal(sumIn(text, 'streamgauge_streams_in_flight'), 1)
  assert.equal(served.stderr(), '')
})

test('no file descriptors are left: what runs runs on, what is new is told, and it recovers', {
  timeout: 100_000,
}, async (t) => {
  if (!requireTool(t, 'prlimit')) return
  const held: RawConnection[] = []
  const gateway = await startRawGateway(t, async (request, connection) => {
    if (request.head?.startLine.startsWith('GET')) return connection.write(wholeAnswer('{}'))
    held.push(connection)
    await connection.write(streamHead())
    await connection.chunk(begun)
  })
  const served = await serveProcess(t, gateway.url)
  const { pid } = served.child
  // Only now: the loader of modules opens many files at once.
  const most = descriptorsOf(pid) + 24
  assert.equal(spawnSync('prlimit', ['--pid', String(pid), `--nofile=${most}:${most}`]).status, 0)
  const stream = (await openRawClient(t, served.proxyUrl)).ask(chatRequest())
  await stream.seen(begun)
  // A client that is connected already, and will ask for a connection to the gateway when there is none to be had.
  const early = await openRawClient(t, served.proxyUrl)

  const { port } = new URL(served.proxyUrl)
  const crowd: Socket[] = []
  const refused = new Promise<void>((resolve) => {
    for (let n = 0; n < 80; n++) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
      socket.on('close', () => resolve())
      crowd.push(socket)
    }
  })
  await within(refused, 'a connection that is not taken')
  const got = await early.ask(chatRequest()).over()
  assert.equal(got.status, 503)
  assert.match(got.body.toString(), /"code":"no_descriptors"/)
  assert.ok(Number(got.values('retry-after')[0]) > 0)
  // What ran has not noticed.
  await held[0]?.chunk(rest)
  await held[0]?.last()
  await assertExact(stream, { head: streamHead(), body: ordinaryBody })

  for (const socket of crowd) socket.destroy()
  gateway.script = ordinaryStream
  await eventually(
    async () =>
      (
        await (
          await openRawClient(t, served.proxyUrl)
        )
          .ask(requestBytes())
          .over()
          .catch(() => undefined)
      )?.status,
    (status) => status === 200,
    'served again',
  )
  await assertExact((await openRawClient(t, served.proxyUrl)).ask(chatRequest()), {
    head: streamHead(),
    body: ordinaryBody,
  })
  const text = (await served.get('metrics')).text
  assert.equal(sumIn(text, 'streamgauge_requests_total', { outcome: 'rejected' }), 1)
  assert.equal(sumIn(text, 'streamgauge_streams_in_flight'), 0)
  assert.equal(served.child.exitCode, null)
  assert.deepEqual(
    served.lines().filter(({ level }) => level === 60),
    [],
  )
  assert.equal(served.stderr(), '')
  served.kill('SIGTERM')
  assert.deepEqual(await within(served.exited, 'the exit'), { code: 0, signal: null })
})
