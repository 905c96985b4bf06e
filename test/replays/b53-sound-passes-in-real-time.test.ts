import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { requestBytes } from '../helpers/raw-client.ts'
import { chunk, headOf } from '../helpers/raw-http.ts'
import { assertExact, assertLive, assertOutcomes, startReplay } from '../helpers/replay.ts'

const pieces = Array.from({ length: 64 }, () => randomBytes(4096))
// The beginning of an MPEG frame: random bytes might begin like a text.
pieces[0]?.set([0xff, 0xfb])
const body = Buffer.concat(pieces)

for (const { name, status = '200 OK', lines } of [
  { name: 'MP3 in chunks', lines: ['content-type: audio/mpeg', 'transfer-encoding: chunked'] },
  { name: 'PCM in chunks', lines: ['content-type: audio/pcm', 'transfer-encoding: chunked'] },
  { name: 'a length', lines: ['content-type: audio/mpeg', `content-length: ${body.length}`] },
  { name: 'until the connection ends', lines: ['content-type: audio/opus', 'connection: close'] },
  {
    name: 'a range',
    status: '206 Partial Content',
    lines: [
      'content-type: audio/mpeg',
      `content-length: ${body.length}`,
      `content-range: bytes 0-${body.length - 1}/999999`,
      'accept-ranges: bytes',
    ],
  },
  { name: 'bytes labelled as text', lines: ['content-type: text/event-stream', 'transfer-encoding: chunked'] },
]) {
  for (const target of ['/v1/audio/speech', '/v1/chat/completions']) {
    test(`B53 ${name}, ${target}: each piece reaches the client before the next is sent`, async (t) => {
      const chunks = lines.includes('transfer-encoding: chunked')
      const head = headOf(`HTTP/1.1 ${status}`, lines)
      const replay = await startReplay(t, async (_request, connection) => {
        await connection.write(head)
        for (const [n, piece] of pieces.entries()) {
          await connection.write(chunks ? chunk(piece) : piece)
          await answer.seen(4096 * (n + 1))
        }
        if (chunks) await connection.last()
        else if (lines.includes('connection: close')) connection.fin()
      })
      const answer = await replay.ask(
        requestBytes({ target, lines: ['range: bytes=0-'], body: '{"model":"tts","input":"x"}' }),
      )
      await assertExact(answer, { head, body })
      assert.deepEqual((await replay.gateway.request(0)).values('range'), ['bytes=0-'])
      const [record] = await assertOutcomes(replay.proxy, 'ok')
      assert.notEqual(record?.marks.firstByte, undefined)
      assert.equal(record?.marks.firstToken, undefined)
      assert.equal(record?.output.bytes, body.length)
      await assertLive(replay)
    })
  }
}
