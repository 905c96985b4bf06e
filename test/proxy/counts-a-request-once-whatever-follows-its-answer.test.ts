import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import type { Script } from '../helpers/raw-gateway.ts'
import { assertLive, assertOutcomes, startReplay } from '../helpers/replay.ts'

// The rest of an upload that was answered early breaks off, or is no HTTP: that is no second request.

const refusal = 'HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\n{}'
const answers = [
  { name: 'by the gateway', target: '/v1/files', host: '127.0.0.1', status: 401, outcome: 'http_4xx' },
  { name: 'for its path', target: '/v1/../files', host: '127.0.0.1', status: 400, outcome: 'rejected' },
  { name: 'for its host', target: '/v1/files', host: 'other.example', status: 421, outcome: 'rejected' },
] as const

for (const { name, target, host, status, outcome } of answers) {
  for (const rest of ['the client ends its side', 'a chunk that is none']) {
    test(`an upload refused early ${name}, then ${rest}: one request`, async (t) => {
      const script: Script = (_request, connection) => connection.write(refusal)
      const replay = await startReplay(t, script, { gateway: { at: 'head' } })
      const client = await openRawClient(t, replay.proxy.url)
      const head = requestBytes({ method: 'POST', target, lines: [`host: ${host}`, 'transfer-encoding: chunked'] })
      const got = await client.ask(Buffer.concat([head, Buffer.from('5\r\nhello\r\n')]), 'POST').over()
      assert.equal(got.status, status)
      if (rest === 'a chunk that is none') await client.write('no chunk\r\n')
      else client.fin()
      await client.closed
      assert.equal(client.received().toString().split('HTTP/1.1 ').length - 1, 1, 'one answer')
      await assertOutcomes(replay.proxy, outcome)
      await assertLive(replay)
    })
  }
}
