import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import { chunk, lastChunk } from '../helpers/raw-http.ts'
import { assertExactRequest, assertOutcomes, startReplay } from '../helpers/replay.ts'

// A body whose rest comes while the gateway is not ready for it, last byte included, must not be left lying.

const sizes = [1, 16_384, 65_535, 65_536, 65_537, 70_000, 81_920, 100_000, 131_072, 131_073, 180_000, 262_144, 400_000]

for (const framing of ['length', 'chunks']) {
  for (const writes of ['one write', 'a write of the head, then the body']) {
    test(`uploads of ${sizes[0]} to ${sizes.at(-1)} bytes by ${framing}, ${writes}`, async (t) => {
      const replay = await startReplay(t, (_request, connection) =>
        connection.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'),
      )
      for (const [n, size] of sizes.entries()) {
        const body = Buffer.alloc(size, 'abcdefg')
        const framed = framing === 'length' ? body : Buffer.concat([chunk(body), Buffer.from(lastChunk)])
        const line = framing === 'length' ? `content-length: ${size}` : 'transfer-encoding: chunked'
        const head = requestBytes({ method: 'POST', target: '/v1/files', lines: [line] })
        const client = await openRawClient(t, replay.proxy.url)
        const answered = client.expect('POST')
        if (writes === 'one write') await client.write(Buffer.concat([head, framed]))
        else {
          await client.write(head)
          await client.write(framed)
        }
        assert.equal((await answered.over()).status, 200, `${size} bytes`)
        assertExactRequest(await replay.gateway.request(n), { bytes: head, body })
      }
      await assertOutcomes(replay.proxy, ...sizes.map(() => 'ok' as const))
    })
  }
}
