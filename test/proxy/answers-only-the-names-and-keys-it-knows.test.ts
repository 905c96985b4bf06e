import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import type { Script } from '../helpers/raw-gateway.ts'
import { assertOutcomes, startReplay, wholeAnswer } from '../helpers/replay.ts'

const answerAll: Script = (_, connection) => connection.write(wholeAnswer('{}'))
const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex')

const hosts: readonly (readonly [host: string, status: number])[] = [
  ['127.0.0.1', 200],
  ['127.0.0.1:8484', 200],
  ['127.9.9.9', 200],
  ['localhost', 200],
  ['LOCALHOST:1', 200],
  ['app.localhost', 200],
  ['[::1]:8484', 200],
  ['mine.internal', 200],
  ['MINE.internal:99', 200],
  ['evil.example', 421],
  ['evil.example:8484', 421],
  ['localhost.evil.example', 421],
  ['127.0.0.1.evil.example', 421],
  ['evil-localhost', 421],
  ['mine.internal.evil.example', 421],
  ['0.0.0.0', 421],
  ['10.0.0.1', 421],
  ['[::2]', 421],
]

test('a page that rebinds its name to this machine is turned away by the name it uses', async (t) => {
  const replay = await startReplay(t, answerAll, { config: { proxy: { allowedHosts: ['mine.internal'] } } })
  for (const [host, status] of hosts) {
    const client = await openRawClient(t, replay.proxy.url)
    const got = await client.ask(requestBytes({ lines: [`host: ${host}`] })).over()
    assert.equal(got.status, status, host)
    if (status === 421) assert.match(got.body.toString(), /"code":"host_not_allowed".*|allowedHosts/)
  }
  const refused = hosts.filter(([, status]) => status === 421).length
  assert.equal(replay.gateway.requests.length, hosts.length - refused)
  await assertOutcomes(replay.proxy, ...hosts.map(([, status]) => (status === 200 ? 'ok' : 'rejected')))
})

test('what stands in the request target chooses no destination', async (t) => {
  const replay = await startReplay(t, answerAll)
  for (const target of ['http://evil.example/v1/models', 'https://evil.example:9/v1/models']) {
    const got = await (await replay.ask(requestBytes({ target }))).over()
    assert.equal(got.status, 200)
  }
  for (const line of [
    'x-forwarded-host: evil.example',
    'forwarded: host=evil.example',
    'x-original-url: http://evil.example/',
  ]) {
    assert.equal((await (await replay.ask(requestBytes({ lines: [line] }))).over()).status, 200)
  }
  assert.deepEqual(
    new Set(replay.gateway.requests.map((request) => request.head?.startLine)),
    new Set(['GET /v1/models HTTP/1.1']),
  )
})

const first = 'sk-of-the-first-client'
const second = 'sk-of-the-second-client'

const keyLines: readonly (readonly [lines: readonly string[], status: number])[] = [
  [[`authorization: Bearer ${first}`], 200],
  [[`authorization: bearer  ${second}`], 200],
  [[`Authorization: ${first}`], 200],
  [[`x-api-key: ${second}`], 200],
  [[`api-key: ${first}`], 200],
  [[`authorization: Bearer wrong`, `x-api-key: ${first}`], 200],
  [[], 401],
  [['authorization: Bearer'], 401],
  [['authorization: Bearer '], 401],
  [[`authorization: Bearer ${first}x`], 401],
  [[`authorization: Bearer ${first.slice(0, -1)}`], 401],
  [[`authorization: Basic ${first}`], 401],
  [[`authorization: Bearer ${sha256(first)}`], 401],
  [[`x-other: ${first}`], 401],
  [[`authorization: Bearer ${'a'.repeat(20_000)}`], 401],
]

test('with clientKeys one of them must be sent; it goes no further, and any Host will do', async (t) => {
  const replay = await startReplay(t, answerAll, { config: { proxy: { clientKeys: [sha256(first), sha256(second)] } } })
  for (const [lines, status] of keyLines) {
    const client = await openRawClient(t, replay.proxy.url)
    const got = await client.ask(requestBytes({ lines: ['host: proxy.example', ...lines] })).over()
    assert.equal(got.status, status, lines.join().slice(0, 60))
    if (status === 401) assert.match(got.body.toString(), /"code":"client_key"/)
  }
  const allowed = keyLines.filter(([, status]) => status === 200).length
  assert.equal(replay.gateway.requests.length, allowed)
  assert.doesNotMatch(replay.gateway.requests.map(({ bytes }) => bytes.toString('latin1')).join(), /sk-of-the|wrong/)
  assert.doesNotMatch(JSON.stringify(replay.proxy.log), /sk-of-the/)
})
