import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { get } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createAuthority } from '../helpers/certificates.ts'
import { startConnectProxy } from '../helpers/connect-proxy.ts'
import { openRawClient, type RawAnswer, type RawClient, requestBytes } from '../helpers/raw-client.ts'
import { type Script, startRawGateway } from '../helpers/raw-gateway.ts'
import { chunk, lastChunk, within } from '../helpers/raw-http.ts'
import { event, ordinaryEvents, streamHead, wholeAnswer } from '../helpers/replay.ts'
import { type ServedProcess, serveProcess } from '../helpers/served-process.ts'
import { temporaryFile } from '../helpers/temporary-folder.ts'
import { requireTool } from '../helpers/tools.ts'

/** One for each place that a secret can be in, so that a leak says where it came from. */
const canary = (place: string): string => `sk-canary-${createHash('sha256').update(place).digest('hex').slice(0, 24)}`
const places = [
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'query',
  'apiKeyEnv',
  'headers',
  'egress',
  'cookie',
  'prompt',
  'answer',
  'reasoning',
  'tool',
  'token',
  'header',
  'password',
]

const secretLines = [
  `authorization: Bearer ${canary('authorization')}`,
  `x-api-key: ${canary('x-api-key')}`,
  `api-key: ${canary('api-key')}`,
  `x-goog-api-key: ${canary('x-goog-api-key')}`,
  `cookie: session=${canary('cookie')}`,
  `x-secret: ${canary('header')}`,
]
const query = `?key=${canary('query')}&api-version=1`
const prompt = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: canary('prompt') }] })

const post = (path: string, lines: readonly string[] = secretLines, body: string = prompt): Buffer =>
  requestBytes({ method: 'POST', target: `${path}${query}`, lines: ['content-type: application/json', ...lines], body })
const chat = (path = '/v1/chat/completions'): Buffer => post(path)

const talk = [
  ordinaryEvents[0],
  event({ choices: [{ index: 0, delta: { reasoning_content: canary('reasoning') } }] }),
  event({ choices: [{ index: 0, delta: { content: canary('answer') } }] }),
  event({
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { name: 'f', arguments: canary('tool') } }] } }],
  }),
  ...ordinaryEvents.slice(6),
].join('')

/** What gateways say when they do not like a key: with the key. */
const quoting = (shape: (text: string) => unknown, status: string): Buffer =>
  wholeAnswer(
    JSON.stringify(shape(`Incorrect API key provided: ${canary('authorization')}. Find yours at x.`)),
    'application/json',
    status,
  )

const byPath: Readonly<Record<string, Script>> = {
  stream: async (_, connection) => {
    await connection.write(streamHead())
    await connection.chunk(talk)
    await connection.last()
  },
  whole: (_, connection) =>
    connection.write(wholeAnswer(JSON.stringify({ choices: [{ message: { content: canary('answer') } }] }))),
  'string-error': (_, connection) => connection.write(quoting((error) => ({ error }), '401 Unauthorized')),
  'object-error': (_, connection) =>
    connection.write(
      quoting(
        (message) => ({ error: { message, type: `bad ${canary('x-api-key')}`, code: canary('api-key') } }),
        '400 Bad Request',
      ),
    ),
  'error-in-200': (_, connection) => connection.write(quoting((error) => ({ error }), '200 OK')),
  'error-event': (_, connection) =>
    connection.write(
      Buffer.concat([
        streamHead(),
        chunk(`data: ${JSON.stringify({ error: `key ${canary('query')} is used up` })}\n\n`),
        Buffer.from(lastChunk),
      ]),
    ),
  names: (_, connection) =>
    connection.write(
      Buffer.concat([
        streamHead(`x-request-id: ${canary('authorization')}`, `x-portkey-provider: ${canary('authorization')}`),
        chunk(
          `data: ${JSON.stringify({ model: canary('authorization'), choices: [{ index: 0, delta: { content: 'x' }, finish_reason: canary('x-api-key') }] })}\n\n`,
        ),
        Buffer.from(lastChunk),
      ]),
    ),
  malformed: (_, connection) => connection.write(`HTTP/1.1 200 OK\r\nx: ${canary('answer')}\0\r\n\r\n`),
  cut: async (_, connection) => {
    await connection.write(Buffer.concat([streamHead(), chunk(talk.slice(0, -80))]))
    connection.reset()
  },
  silent: () => {},
}

async function ask(
  t: TestContext,
  served: ServedProcess,
  bytes: Buffer,
): Promise<{ client: RawClient; answer: RawAnswer }> {
  const client = await openRawClient(t, served.proxyUrl)
  return { client, answer: client.ask(bytes) }
}

/** Everything the second listener tells. */
async function allPages(served: ServedProcess): Promise<string> {
  const ids = served.lines().flatMap(({ msg, id }) => (msg === 'exchange' ? [String(id)] : []))
  const pages = await Promise.all(
    ['metrics', '', 'readyz', 'nowhere', ...ids.map((id) => `exchanges/${id}`)].map((path) => served.get(path)),
  )
  const feed = await new Promise<string>((resolve, reject) => {
    let text = ''
    const request = get(new URL('live', served.adminUrl), { agent: false }, (answer) => {
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
        if (text.split('\n\n').length < 3) return
        request.destroy()
        resolve(text)
      })
    })
    request.on('error', reject)
  })
  return [...pages.map(({ text }) => text), feed].join('\n')
}

function assertClean(text: string, where: string): void {
  for (const place of places) {
    const secret = canary(place)
    for (const form of [
      secret,
      secret.slice(0, 22),
      Buffer.from(secret).toString('base64').slice(4, 24),
      encodeURIComponent(`:${secret}`),
    ]) {
      assert.ok(
        !text.includes(form),
        `the ${place} canary is in ${where}: ${text.slice(Math.max(0, text.indexOf(form) - 120), text.indexOf(form) + 60)}`,
      )
    }
  }
}

test('no key, prompt or answer occurs in the log, on standard error, in metrics, pages and errors of our own', {
  timeout: 110_000,
}, async (t) => {
  if (!requireTool(t, 'openssl')) return
  const gateway = await startRawGateway(t, (request, connection, n) => {
    const path = /\/x-([a-z0-9-]+)/.exec(request.head?.startLine ?? '')?.[1]
    return (byPath[path ?? 'stream'] as Script)(request, connection, n)
  })
  const tls = await startRawGateway(t, () => {}, { tls: createAuthority(t).issue('DNS:localhost') })
  const egress = await startConnectProxy(t, gateway.port)
  egress.conduct = { answer: `HTTP/1.1 407 no ${canary('egress')}\r\n\r\n` }
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  closed.close()

  const served = await serveProcess(t, gateway.url, {
    gateway: 'headers: { x-team: "${TEAM_SECRET}" }',
    gateways: [
      `{ name: keyed, url: "${gateway.url}?key=${'${'}x", apiKeyEnv: GATEWAY_KEY }`.replace('?key=${x', ''),
      `{ name: refused, url: "http://127.0.0.1:${port}/v1" }`,
      '{ name: nowhere, url: "http://nowhere.invalid/v1" }',
      `{ name: tls, url: "https://localhost:${tls.port}/v1" }`,
      `{ name: slow, url: "${gateway.url}", timeouts: { firstByte: 300ms } }`,
      '{ name: behind, url: "http://behind.test/v1" }',
    ],
    yaml: 'proxy: { maxBodyBytes: 100KiB, drain: 500ms }\nadmin: { token: "" }\nlog: { level: trace }',
    env: {
      TEAM_SECRET: canary('headers'),
      GATEWAY_KEY: canary('apiKeyEnv'),
      http_proxy: `http://user:${canary('egress')}@127.0.0.1:${egress.port}`,
      no_proxy: '127.0.0.1,localhost,.invalid',
    },
  })

  const errors: string[] = []
  for (const path of Object.keys(byPath)) {
    if (path === 'silent') continue
    for (const target of [`/v1/x-${path}/chat/completions`, `/v1/x-${path}/models`, `/v1/x-${path}/messages`]) {
      await (await ask(t, served, chat(target))).answer.over()
    }
  }
  const ours: [string, Buffer][] = [
    ['refused', chat('/refused/v1/chat/completions')],
    ['dns', chat('/nowhere/v1/chat/completions')],
    ['tls', chat('/tls/v1/chat/completions')],
    ['limit', chat('/slow/v1/x-silent/chat/completions')],
    ['egress', chat('/behind/v1/chat/completions')],
    ['bad path', chat(`/v1/../${canary('prompt')}`)],
    ['bad host', post('/v1/chat/completions', ['host: evil.example', ...secretLines])],
    ['too large', post('/v1/chat/completions', secretLines, canary('prompt').repeat(5000))],
    ['large head', post('/v1/chat/completions', [...secretLines, `x-more: ${canary('header').repeat(3000)}`])],
    ['smuggled', post('/v1/chat/completions', [...secretLines, 'transfer-encoding: chunked', 'content-length: 5'])],
    [
      'no HTTP',
      Buffer.from(
        `POST /v1/chat/completions?key=${canary('query')} HTTP/1.1\r\nauthorization ${canary('authorization')}\r\n\r\n`,
      ),
    ],
    ['bad header', Buffer.concat([chat().subarray(0, 60), Buffer.from(`\0${canary('header')}\r\n\r\n`)])],
  ]
  for (const [name, bytes] of ours) {
    const got = await (await ask(t, served, bytes)).answer.over()
    assert.ok(got.status >= 400, name)
    errors.push(got.bytes.toString('latin1'))
  }
  // With a key of the gateway's own, and one that the client leaves half-way.
  await (
    await ask(t, served, requestBytes({ method: 'POST', target: '/keyed/v1/chat/completions', body: prompt }))
  ).answer.over()
  const left = await ask(t, served, chat('/v1/x-silent/chat/completions'))
  await served.get('metrics')
  left.client.reset()
  await within(left.client.closed, 'the end of the connection')

  assertClean(errors.join('\n'), 'an error of our own')
  assertClean(await allPages(served), 'a page')
  const running = await ask(t, served, chat('/v1/x-silent/chat/completions'))
  await gateway.request(gateway.requests.length - 1)
  assertClean(await allPages(served), 'a page while a stream runs')
  served.kill('SIGTERM')
  await within(served.exited, 'the exit')
  assert.equal(running.answer.message.complete, true)
  assertClean(served.stdout(), 'the log')
  assertClean(served.stderr(), 'standard error')
  // It was not clean for having seen nothing.
  const outcomes = new Set(served.lines().map(({ outcome }) => outcome))
  for (const outcome of [
    'ok',
    'rejected',
    'http_4xx',
    'stream_error',
    'gateway_error',
    'gateway_timeout',
    'client_abort',
    'shutdown',
  ]) {
    assert.ok(outcomes.has(outcome), `no exchange was ${outcome}`)
  }
  const received = gateway.requests.map((request) => request.bytes.toString('latin1')).join('')
  for (const place of ['authorization', 'query', 'apiKeyEnv', 'headers', 'cookie', 'prompt']) {
    assert.ok(received.includes(canary(place)), `the gateway was never sent the ${place} canary`)
  }
})

test('what ends the process says nothing of what it carried', { timeout: 60_000 }, async (t) => {
  const gateway = await startRawGateway(t, byPath['silent'] as Script)
  const crash = temporaryFile(
    t,
    'crash.mjs',
    `process.on('SIGUSR2', () => {
      const parse = () => JSON.parse('{"prompt":"' + process.env.CANARY_A + '"\\n    at ' + process.env.CANARY_B)
      if (process.env.KIND === 'exception') setImmediate(parse)
      else Promise.resolve().then(parse)
    })`,
  )
  for (const kind of ['exception', 'rejection']) {
    const served = await serveProcess(t, gateway.url, {
      nodeArguments: ['--import', crash],
      env: { KIND: kind, CANARY_A: canary('prompt'), CANARY_B: canary('answer') },
    })
    const before = gateway.requests.length
    const { answer } = await ask(t, served, chat('/v1/chat/completions'))
    await gateway.request(before)
    served.kill('SIGUSR2')
    await served.logged('fatal error')
    // Running streams drain shortly; here nothing ever comes, so they are cut.
    const { code: exitCode } = await within(served.exited, 'the exit')
    assert.equal(exitCode, 1)
    const got = await answer.over()
    assert.ok(!got.complete || got.status === 503)
    assertClean(served.stdout() + served.stderr(), `what is said after an ${kind}`)
    assert.equal(served.lines().find(({ msg }) => msg === 'exchange')?.['outcome'], 'shutdown')
  }
})

test('a configuration with secrets in the wrong place is told without them', async (t) => {
  const gateway = await startRawGateway(t)
  const yamls = [
    [`authorization: "Bearer ${canary('headers')}"`, ''],
    ['', `admin: { token: "${canary('token')}" }`],
    ['', `proxy: { clientKeys: ["${canary('authorization')}"] }`],
  ] as const
  for (const [header, yaml] of yamls) {
    await assert.rejects(serveProcess(t, gateway.url, { gateway: `headers: { ${header} }`, yaml }), (error: Error) => {
      assertClean(error.message, 'the complaint')
      assert.match(error.message, /ended without/)
      return true
    })
  }
})
