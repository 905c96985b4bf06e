import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { measured } from '../helpers/bench.ts'
import { runCommand } from '../helpers/bench-command.ts'
import { startProxy } from '../helpers/proxy-under-test.ts'
import { simulatedGateway } from '../helpers/simulated-gateway.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

type Body = Record<string, unknown>

/** A gateway that answers as told; resolves to its base URL. */
async function gateway(
  t: TestContext,
  answer: (body: Body, response: ServerResponse, request: IncomingMessage) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => answer(JSON.parse(Buffer.concat(parts).toString()) as Body, response, request))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { message, type: 'invalid_request_error' } }))
}

function stream(response: ServerResponse, tokens = 3): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let at = 0; at < tokens; at++) response.write(`data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n`)
  response.end('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
}

const ask = (url: string, model = 'm'): string[] => [
  'bench',
  '--base-url',
  url,
  '--model',
  model,
  '--runs',
  '2',
  '--prompt-mode',
  'uncached',
]

test('a gateway that is down: exit 2, and its address', async () => {
  const { code, io } = await runCommand(ask('http://127.0.0.1:1/v1'))
  assert.equal(code, 2)
  assert.equal(io.stdout, '')
  assert.match(io.stderr, /http:\/\/127\.0\.0\.1:1\/v1 cannot be reached \(refused\)/)
})

test('a gateway that is down behind the proxy: exit 2', async (t) => {
  const proxy = await startProxy(t, 'http://127.0.0.1:1/v1')
  const { code, io } = await runCommand(ask(`${proxy.url}/v1`))
  assert.equal(code, 2)
  assert.match(io.stderr, /answers 502/)
})

test('an unknown model: exit 2 before the models that are known are asked for money', async (t) => {
  const simulator = await simulatedGateway(t)
  const { code, io } = await runCommand([...ask(simulator.url, 'sim/none'), '--model', 'sim/fast', '--max-tokens', '5'])
  assert.equal(code, 2)
  assert.match(io.stderr, /knows no model "sim\/none" \(404/)
  // The preflight alone.
  assert.equal(simulator.truths().filter(({ model }) => model === 'sim/fast').length, 1)
})

test('a refused key: exit 2, and not a letter of it is shown', async (t) => {
  const url = await gateway(t, (_, response, request) =>
    refuse(response, 401, `bad key ${request.headers.authorization}`),
  )
  const { code, io } = await runCommand([...ask(url), '--api-key-env', 'MY_KEY'], { env: { MY_KEY: 'sk-very-secret' } })
  assert.equal(code, 2)
  assert.match(io.stderr, /refuses the key \(401.*--api-key-env/)
  assert.ok(!io.stderr.includes('secret'))
  const without = await runCommand(ask(url))
  assert.match(without.io.stderr, /wants a key \(401.*--api-key-env OPENAI_API_KEY/)
})

test('a wrong base URL is told from an unknown model', async (t) => {
  const url = await gateway(t, (_, response) => refuse(response, 404, 'Not Found'))
  const { code, io } = await runCommand(ask(url))
  assert.equal(code, 2)
  assert.match(io.stderr, /has no chat API \(404.*usually ending in \/v1/)
})

test('a web page or a redirect is no gateway', async (t) => {
  const page = await gateway(t, (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Welcome'),
  )
  const { code, io } = await runCommand(ask(page))
  assert.equal(code, 2)
  assert.match(io.stderr, /answers 200, but with nothing that chat would say/)
  const moved = await gateway(t, (_, response) =>
    response.writeHead(308, { location: 'https://elsewhere.test/' }).end(),
  )
  assert.match((await runCommand(ask(moved))).io.stderr, /redirects \(308\)/)
})

test('a gateway that never answers: exit 2', async (t) => {
  const simulator = await simulatedGateway(t)
  const plan = { targets: [{ baseUrl: simulator.url, models: ['sim/hang'] }], timeouts: { firstByte: '200ms' } }
  await assert.rejects(measured(plan), /did not answer in time \(first_byte_timeout\)/)
})

test('a file that cannot be written is told before anything is asked', async (t) => {
  const simulator = await simulatedGateway(t)
  const { code, io } = await runCommand([
    ...ask(simulator.url, 'sim/fast'),
    '--json',
    join(temporaryFolder(t), 'no', 'run.json'),
  ])
  assert.equal(code, 2)
  assert.match(io.stderr, /--json .*cannot be written \(ENOENT\)/)
  assert.equal(simulator.truths().length, 0)
})

test('what a gateway refuses is left out or named as it wants it, and said', async (t) => {
  const seen: Body[] = []
  const url = await gateway(t, (body, response) => {
    seen.push(body)
    if ('max_tokens' in body) refuse(response, 400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.")
    else if ('temperature' in body) refuse(response, 400, 'temperature does not support 0')
    else if ('stream_options' in body) refuse(response, 422, 'unknown field stream_options')
    else stream(response)
  })
  const run = await measured({ targets: [{ baseUrl: url, models: ['m'] }], runs: 3, promptMode: 'uncached' })
  assert.deepEqual(
    run.exchanges.map(({ outcome }) => outcome),
    ['ok', 'ok', 'ok'],
  )
  assert.deepEqual(Object.keys(seen.at(-1) as Body).toSorted(), [
    'max_completion_tokens',
    'messages',
    'model',
    'stream',
  ])
  const notes = run.preflight[0]?.notes.join('\n') ?? ''
  assert.match(notes, /no temperature is sent/)
  assert.match(notes, /max_completion_tokens is sent/)
  assert.match(notes, /no stream_options are sent/)
  assert.match(notes, /no usage: characters per second alone/)
})

test('the cold run is on a connection of its own: not that of the preflight', async (t) => {
  const sockets: unknown[] = []
  const url = await gateway(t, (_, response, request) => {
    sockets.push(request.socket)
    stream(response)
  })
  await measured({ targets: [{ baseUrl: url, models: ['m'] }], runs: 3, promptMode: 'uncached' })
  assert.equal(sockets.length, 4)
  assert.notEqual(sockets[1], sockets[0])
  assert.deepEqual([sockets[2] === sockets[1], sockets[3] === sockets[1]], [true, true])
})

test('a gateway that fails now and then is measured all the same', async (t) => {
  let asked = 0
  const url = await gateway(t, (_, response) => (++asked % 2 === 1 ? refuse(response, 500, 'busy') : stream(response)))
  const run = await measured({ targets: [{ baseUrl: url, models: ['m'] }], runs: 5, promptMode: 'uncached' })
  assert.equal(run.exchanges.length, 5)
  assert.equal(run.exchanges.filter(({ outcome }) => outcome === 'http_5xx').length, 3)
})
