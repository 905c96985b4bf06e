import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { assertLive, assertOutcomes, bothKinds, chatBody, chunked, startReplay } from '../helpers/replay.ts'

const answers: readonly { name: string; wire: string; body: string }[] = [
  {
    name: 'a: length 2 and chunked',
    wire: 'content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    body: 'ok',
  },
  {
    name: 'b: length 7 and chunked',
    wire: 'content-length: 7\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    body: 'ok',
  },
  {
    name: 'b: chunked and length 7',
    wire: 'transfer-encoding: chunked\r\ncontent-length: 7\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    body: 'ok',
  },
  { name: 'c: two equal lengths', wire: 'content-length: 2\r\ncontent-length: 2\r\n\r\nok', body: 'ok' },
  { name: 'c: one length twice in a line', wire: 'content-length: 2, 2\r\n\r\nok', body: 'ok' },
  { name: 'd: two different lengths', wire: 'content-length: 2\r\ncontent-length: 5\r\n\r\nokxxx', body: 'ok' },
  { name: 'a length that is none', wire: 'content-length: two\r\n\r\nok', body: 'ok' },
  { name: 'a negative length', wire: 'content-length: -2\r\n\r\nok', body: 'ok' },
  { name: 'a length with a plus', wire: 'content-length: +2\r\n\r\nok', body: 'ok' },
  { name: 'a length beyond all numbers', wire: 'content-length: 99999999999999999999999\r\n\r\nok', body: 'ok' },
  { name: 'a coding of its own', wire: 'transfer-encoding: gzip\r\n\r\nok', body: 'ok' },
  { name: 'chunked, then another coding', wire: 'transfer-encoding: chunked, gzip\r\n\r\nok', body: 'ok' },
  {
    name: 'chunked twice',
    wire: 'transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    body: 'ok',
  },
  { name: 'a chunk size that is none', wire: 'transfer-encoding: chunked\r\n\r\nzz\r\nok\r\n0\r\n\r\n', body: '' },
  { name: 'a chunk size with a sign', wire: 'transfer-encoding: chunked\r\n\r\n+2\r\nok\r\n0\r\n\r\n', body: '' },
  {
    name: 'a chunk size beyond all numbers',
    wire: 'transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\nok\r\n0\r\n\r\n',
    body: '',
  },
  { name: 'a chunk without its end', wire: 'transfer-encoding: chunked\r\n\r\n2\r\nokxx0\r\n\r\n', body: 'ok' },
]

for (const { kind, request } of bothKinds) {
  for (const { name, wire, body } of answers) {
    test(`B28 ${name}, ${kind}: one framing, or an error; never half a truth`, async (t) => {
      const replay = await startReplay(t, async (_request, connection) => {
        await connection.write(`HTTP/1.1 200 OK\r\n${wire}`)
        connection.fin()
      })
      const answer = await replay.ask(request())
      // The client's reader refuses an answer with two framings.
      const got = await answer.over()
      if (got.status === 200 && got.complete) assert.equal(got.body.toString(), body)
      else if (got.status === 200) assert.ok(body.startsWith(got.body.toString()) || got.body.toString() === body)
      else {
        assert.equal(got.status, 502)
        assert.equal(got.complete, true)
      }
      const [record] = await assertOutcomes(replay.proxy, got.status === 200 && got.complete ? 'ok' : 'gateway_error')
      if (record?.outcome !== 'ok') assert.match(record?.error ?? '', /malformed_answer|length_mismatch/)
      await assertLive(replay)
    })
  }

  for (const coding of ['gzip, chunked', 'gzip', 'x-odd,chunked', 'GZip , Chunked']) {
    test(`B28 a coding below the framing (${coding}) is not taken off in silence, ${kind}`, async (t) => {
      const body = gzipSync('{"object":"list"}')
      const replay = await startReplay(t, async (_request, connection) => {
        await connection.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: ${coding}\r\n\r\n`)
        await connection.write(/chunked$/i.test(coding) ? chunked(body) : body)
        connection.fin()
      })
      const got = await (await replay.ask(request())).over()
      assert.equal(got.status, 502)
      const [record] = await assertOutcomes(replay.proxy, 'gateway_error')
      assert.equal(record?.error, 'malformed_answer')
      await assertLive(replay)
    })
  }

  test(`B28 e: bytes after the length never reach this client nor the next, ${kind}`, async (t) => {
    const replay = await startReplay(t, (_request, connection) =>
      connection.write(
        'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokEXTRAHTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecond',
      ),
    )
    for (let n = 0; n < 3; n++) {
      const client = await openRawClient(t, replay.proxy.url)
      const got = await client.ask(request()).over()
      assert.deepEqual([got.status, got.body.toString()], [200, 'ok'])
      assert.doesNotMatch(client.received().toString(), /EXTRA|second/)
    }
    assert.equal(replay.gateway.connections.length, 3, 'such a connection is not used again')
  })

  test(`B28 e: a second answer that nobody asked for is given to nobody, ${kind}`, async (t) => {
    const one = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n'
    const replay = await startReplay(t, (_request, connection) => connection.write(`${one}ok${one}no`))
    for (let n = 0; n < 3; n++) {
      const got = await (await replay.ask(request())).over()
      assert.deepEqual([got.status, got.body.toString()], [200, 'ok'])
    }
  })
}

const smuggled = 'GET /v1/smuggled HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'
const framings: readonly { name: string; lines: readonly string[]; body: string }[] = [
  {
    name: 'length and chunked',
    lines: ['content-length: 4', 'transfer-encoding: chunked'],
    body: `0\r\n\r\n${smuggled}`,
  },
  {
    name: 'chunked and length',
    lines: ['transfer-encoding: chunked', 'content-length: 4'],
    body: `0\r\n\r\n${smuggled}`,
  },
  { name: 'two different lengths', lines: ['content-length: 0', `content-length: ${smuggled.length}`], body: smuggled },
  { name: 'two equal lengths', lines: ['content-length: 2', 'content-length: 2'], body: 'ok' },
  { name: 'a list of lengths', lines: ['content-length: 2, 2'], body: 'ok' },
  { name: 'a length that is none', lines: ['content-length: 2x'], body: 'ok' },
  { name: 'a length with a sign', lines: ['content-length: +2'], body: 'ok' },
  { name: 'a length in hexadecimal', lines: ['content-length: 0x2'], body: 'ok' },
  { name: 'an empty length', lines: ['content-length:'], body: smuggled },
  { name: 'a coding that is not chunked', lines: ['transfer-encoding: gzip'], body: smuggled },
  {
    name: 'a coding below chunked',
    lines: ['transfer-encoding: gzip, chunked'],
    body: `2\r\nok\r\n0\r\n\r\n`,
  },
  { name: 'chunked that is not last', lines: ['transfer-encoding: chunked, identity'], body: `0\r\n\r\n${smuggled}` },
  {
    name: 'a coding with a strange character',
    lines: ['transfer-encoding: \x0bchunked'],
    body: `0\r\n\r\n${smuggled}`,
  },
  { name: 'a quoted coding', lines: ['transfer-encoding: "chunked"'], body: `0\r\n\r\n${smuggled}` },
  { name: 'a space before the colon', lines: ['transfer-encoding : chunked'], body: `0\r\n\r\n${smuggled}` },
  {
    name: 'a folded coding',
    lines: ['transfer-encoding:\r\n chunked', 'content-length: 4'],
    body: `0\r\n\r\n${smuggled}`,
  },
  {
    name: 'a bare LF in the head',
    lines: ['x: y\ntransfer-encoding: chunked', 'content-length: 4'],
    body: `0\r\n\r\n${smuggled}`,
  },
  {
    name: 'a bare CR in the head',
    lines: ['x: y\rtransfer-encoding: chunked', 'content-length: 4'],
    body: `0\r\n\r\n${smuggled}`,
  },
  { name: 'a chunk size that is none', lines: ['transfer-encoding: chunked'], body: `x\r\n\r\n${smuggled}` },
  {
    name: 'a chunk size with a prefix',
    lines: ['transfer-encoding: chunked'],
    body: `0x2\r\nok\r\n0\r\n\r\n${smuggled}`,
  },
  {
    name: 'a chunk size beyond all numbers',
    lines: ['transfer-encoding: chunked'],
    body: `10000000000000000\r\n${smuggled}`,
  },
  {
    name: 'a chunk that is longer than its size',
    lines: ['transfer-encoding: chunked'],
    body: `2\r\nokx\r\n0\r\n\r\n${smuggled}`,
  },
  { name: 'LF alone after a chunk size', lines: ['transfer-encoding: chunked'], body: `2\nok\r\n0\r\n\r\n${smuggled}` },
]

for (const target of ['/v1/chat/completions', '/v1/embeddings']) {
  for (const { name, lines, body } of framings) {
    test(`B28 the client sends ${name}, ${target}: 400, a close, and nothing smuggled`, async (t) => {
      const replay = await startReplay(t, (_request, connection) =>
        connection.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
      )
      const client = await openRawClient(t, replay.proxy.url)
      const head = requestBytes({ method: 'POST', target, lines })
      const got = await client.ask(Buffer.concat([head, Buffer.from(body)])).over()
      assert.equal(got.status, 400)
      await client.closed
      assert.ok(!replay.gateway.connections.some(({ received }) => received().includes('smuggled')))
      // The head may be on its way before a bad chunk shows; no whole request is.
      assert.equal(replay.gateway.requests.length, 0)
      await assertOutcomes(replay.proxy, 'rejected')
      replay.gateway.script = () => {}
      await assertLive(replay)
    })
  }
}

test('B28 a good request that follows a good one on the same connection is served', async (t) => {
  const replay = await startReplay(t, (_request, connection) =>
    connection.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
  )
  const client = await openRawClient(t, replay.proxy.url)
  const bytes = requestBytes({ target: '/v1/chat/completions', body: chatBody })
  const first = client.ask(Buffer.concat([bytes, requestBytes()]), 'POST')
  const second = client.expect('GET')
  assert.equal((await first.over()).status, 200)
  assert.equal((await second.over()).status, 200)
})
