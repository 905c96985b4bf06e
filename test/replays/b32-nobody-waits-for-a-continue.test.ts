import assert from 'node:assert/strict'
import { test } from 'node:test'
import { curl } from '../helpers/curl.ts'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import type { Script } from '../helpers/raw-gateway.ts'
import { assertLive, assertOutcomes, chatBody, startReplay } from '../helpers/replay.ts'
import { requireTool } from '../helpers/tools.ts'

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'
const targets = [
  { kind: 'a generation', target: '/v1/chat/completions' },
  { kind: 'passed through', target: '/v1/files' },
]

const gateways: readonly { name: string; script: Script; at: 'head' | 'request'; status: number }[] = [
  {
    name: 'a: that ignores Expect',
    script: (_request, connection) => connection.write(ok),
    at: 'request',
    status: 200,
  },
  {
    name: 'b: that says 100',
    script: (_request, connection) => connection.write(`HTTP/1.1 100 Continue\r\n\r\n${ok}`),
    at: 'request',
    status: 200,
  },
  {
    name: 'b: that says 100 with lines, in pieces, twice, before the body',
    script: async (request, connection) => {
      for (const byte of 'HTTP/1.1 100 Continue\r\nx-a: b\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n') {
        await connection.write(byte)
      }
      while (!request.complete) await new Promise((resolve) => connection.socket.once('data', resolve))
      await connection.write(ok)
    },
    at: 'head',
    status: 200,
  },
  {
    name: 'c: that says 401 at once',
    script: (_request, connection) => connection.write('HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno'),
    at: 'head',
    status: 401,
  },
  {
    name: 'd: that says 417',
    script: (_request, connection) =>
      connection.write('HTTP/1.1 417 Expectation Failed\r\ncontent-length: 2\r\n\r\nno'),
    at: 'head',
    status: 417,
  },
]

for (const { kind, target } of targets) {
  for (const { name, script, at, status } of gateways) {
    test(`B32 the client waits for 100; a gateway ${name}, ${kind}`, async (t) => {
      const replay = await startReplay(t, script, { gateway: { at } })
      const client = await openRawClient(t, replay.proxy.url)
      const lines = ['expect: 100-continue', `content-length: ${chatBody.length}`]
      const answer = client.ask(requestBytes({ method: 'POST', target, lines }))
      // Only then the body: whoever waited for it would wait for ever.
      while (answer.interim.length === 0 && !answer.message.complete) {
        await Promise.race([new Promise((resolve) => client.socket.once('data', resolve)), answer.over()])
        await new Promise((resolve) => setImmediate(resolve))
      }
      await client.write(chatBody)
      const got = await answer.over()
      assert.equal(got.status, status)
      await assertOutcomes(replay.proxy, status === 200 ? 'ok' : 'http_4xx')
      assert.equal(replay.gateway.connections.length, 1)
      replay.gateway.script = script
      if (at === 'request') await assertLive(replay)
    })

    test(`B32 nobody expects; a gateway ${name}, ${kind}`, async (t) => {
      const replay = await startReplay(t, script, { gateway: { at } })
      const got = await (await replay.ask(requestBytes({ target, body: chatBody }))).over()
      assert.equal(got.status, status)
      await assertOutcomes(replay.proxy, status === 200 ? 'ok' : 'http_4xx')
    })
  }

  for (const expectation of ['100-Continue', 'something else', '100-continue, x']) {
    test(`B32 Expect: ${expectation}, ${kind}: never 500, and the gateway does not see it`, async (t) => {
      const replay = await startReplay(t, gateways[0]?.script as Script)
      const got = await (
        await replay.ask(requestBytes({ target, lines: [`Expect: ${expectation}`], body: chatBody }))
      ).over()
      assert.equal(got.status, 200)
      assert.deepEqual((await replay.gateway.request(0)).values('expect'), [])
      await assertOutcomes(replay.proxy, 'ok')
    })
  }

  for (const { name, args } of [
    { name: '--data-binary of 2 MB', args: ['--data-binary', '@-'] },
    { name: '-F of 2 MB', args: ['-F', 'file=@-;filename=a.bin', '-H', 'Expect: 100-continue'] },
    { name: '-T of 2 MB', args: ['-T', '-', '-X', 'POST', '-H', 'Expect: 100-continue'] },
  ]) {
    test(`B32 curl ${name}, ${kind}: without curl's second of waiting`, async (t) => {
      if (!requireTool(t, 'curl')) return
      const body = Buffer.alloc(2_000_000, 'abcdefgh')
      for (const { script } of gateways.slice(0, 2)) {
        const replay = await startReplay(t, script)
        // Longer than this test may last: curl goes on only when it is told to.
        const waits = ['--expect100-timeout', '60']
        const { exitCode, out, errors } = await curl(
          [...waits, ...args, '-o', '/dev/null', '-w', '%{http_code}', replay.proxy.url + target],
          body,
        )
        assert.deepEqual([exitCode, out.toString(), errors], [0, '200', ''])
        const request = await replay.gateway.request(0)
        assert.ok(request.body.includes(body))
        assert.ok(request.body.length - body.length < 1000)
      }
    })
  }
}
