import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestBytes } from '../helpers/raw-client.ts'
import { headOf } from '../helpers/raw-http.ts'
import {
  assertExact,
  assertExactRequest,
  assertLive,
  assertOutcomes,
  bothKinds,
  chatBody,
  startReplay,
} from '../helpers/replay.ts'

const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
const json = '{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}'

const lines: readonly { name: string; line: string }[] = [
  { name: 'a Latin-1 byte', line: 'x-name: caf\xe9' },
  { name: 'UTF-8', line: `x-name: ${latin1('模型é')}` },
  {
    name: 'every byte that may stand in a value',
    line: `x-name: ${String.fromCharCode(...Array.from({ length: 0x5f }, (_, n) => n + 0x20), ...Array.from({ length: 0x80 }, (_, n) => n + 0x80)).trim()}`,
  },
  { name: 'a tab inside', line: 'x-name: a\tb' },
  { name: 'an empty value', line: 'x-name:' },
  { name: 'no space after the colon', line: 'x-name:value' },
  { name: 'odd case and odd characters in the name', line: "X-nAmE!#$%&'*+-.^_`|~9: value" },
  { name: 'a name that objects have', line: 'constructor: a' },
  { name: 'another name that objects have', line: '__proto__: a' },
  { name: 'a very common name in odd case', line: 'Http-Referer: https://a.example/?b=c' },
]

for (const { kind, request } of bothKinds) {
  for (const { name, line } of lines) {
    test(`B21 ${name}, in the answer, ${kind}`, async (t) => {
      const head = headOf('HTTP/1.1 200 OK', ['content-type: application/json', line, `content-length: ${json.length}`])
      const replay = await startReplay(t, (_request, connection) =>
        connection.write(Buffer.concat([head, Buffer.from(json)])),
      )
      const got = await assertExact(await replay.ask(request()), { head, body: json })
      assert.ok(
        got.head?.lines.some(([own]) => own === line.slice(0, line.indexOf(':'))),
        'the case of the name',
      )
      await assertOutcomes(replay.proxy, 'ok')
    })
  }
}

for (const kind of ['a generation', 'passed through']) {
  for (const { name, line } of [...lines, { name: 'a title', line: `X-Title: ${latin1('模型é')}` }]) {
    test(`B21 ${name}, in the request, ${kind}`, async (t) => {
      const target = kind === 'a generation' ? '/v1/chat/completions' : '/v1/embeddings'
      const bytes = requestBytes({ target, lines: [line, 'content-type: application/json'], body: chatBody })
      const replay = await startReplay(t, (_request, connection) =>
        connection.write(
          Buffer.concat([headOf('HTTP/1.1 200 OK', [`content-length: ${json.length}`]), Buffer.from(json)]),
        ),
      )
      assert.equal((await (await replay.ask(bytes)).over()).status, 200)
      const got = await replay.gateway.request(0)
      assertExactRequest(got, { bytes, body: chatBody })
      assert.ok(
        got.head?.lines.some(([own]) => own === line.slice(0, line.indexOf(':'))),
        'the case of the name',
      )
      const metrics = await replay.proxy.metrics()
      assert.doesNotMatch(metrics, /x-name|caf|模型/i)
    })
  }
}

test('B21 a folded line of the answer is unfolded, as RFC 9112 asks, or refused', async (t) => {
  const replay = await startReplay(t, (_request, connection) =>
    connection.write('HTTP/1.1 200 OK\r\nx-name: a\r\n b\r\ncontent-length: 2\r\n\r\nok'),
  )
  const got = await (await replay.ask()).over()
  if (got.status === 200) assert.match(got.values('x-name')[0] ?? '', /^a +b$/)
  else assert.equal(got.status, 502)
  await assertLive(replay)
})

test('B21 a trailing tab is white space, not value', async (t) => {
  const replay = await startReplay(t, (_request, connection) =>
    connection.write('HTTP/1.1 200 OK\r\nx-name: a\t\r\ncontent-length: 2\r\n\r\nok'),
  )
  const got = await (await replay.ask()).over()
  assert.deepEqual([got.status, got.values('x-name')], [200, ['a']])
})

for (const { name, value } of [
  { name: 'NUL', value: 'a\0b' },
  { name: 'a bare CR', value: 'a\rb' },
  { name: 'a bare LF', value: 'a\nb' },
  { name: 'a control character', value: 'a\x01b' },
  { name: 'DEL', value: 'a\x7fb' },
]) {
  test(`B21 ${name} in a line of the answer: passed on as it is, or 502 with a reason; never another line`, async (t) => {
    const replay = await startReplay(t, (_request, connection) =>
      connection.write(`HTTP/1.1 200 OK\r\nx-name: ${value}\r\ncontent-length: 2\r\n\r\nok`),
    )
    const got = await (await replay.ask()).over()
    if (got.status === 200) assert.deepEqual(got.values('x-name'), [value])
    else {
      assert.equal(got.status, 502)
      assert.match(got.body.toString(), /"code":"(malformed_answer|bad_answer_header)"/)
      const [record] = await assertOutcomes(replay.proxy, 'gateway_error')
      assert.match(record?.error ?? '', /malformed_answer|bad_answer_header/)
    }
    await assertLive(replay)
  })
}

for (const { name, phrase, expected } of [
  { name: 'Latin-1', phrase: 'N\xe3o Encontrado', expected: undefined },
  { name: 'UTF-8', phrase: latin1('見つかりません'), expected: latin1('見つかりません') },
  { name: 'none', phrase: '', expected: undefined },
  { name: 'a word of its own', phrase: 'Nope', expected: 'Nope' },
]) {
  test(`B21 a reason phrase (${name}) fails nothing`, async (t) => {
    const replay = await startReplay(t, (_request, connection) =>
      connection.write(`HTTP/1.1 404 ${phrase}\r\ncontent-length: 2\r\n\r\nok`),
    )
    const got = await (await replay.ask()).over()
    assert.equal(got.status, 404)
    assert.equal(got.body.toString(), 'ok')
    if (expected !== undefined) assert.equal(got.head?.startLine, `HTTP/1.1 404 ${expected}`)
  })
}

for (const status of [
  '299 Fine',
  '399 Odd',
  '499 Client Closed Request',
  '529 Overloaded',
  '599 X',
  '600 Y',
  '999 Request denied',
]) {
  test(`B21 status ${status} is passed on`, async (t) => {
    const replay = await startReplay(t, (_request, connection) =>
      connection.write(`HTTP/1.1 ${status}\r\ncontent-length: 2\r\n\r\nok`),
    )
    const got = await (await replay.ask()).over()
    assert.equal(got.head?.startLine, `HTTP/1.1 ${status}`)
  })
}
