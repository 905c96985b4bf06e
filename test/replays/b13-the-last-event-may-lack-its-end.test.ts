import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertExact, assertOutcomes, chunked, ordinaryEvents, startReplay, streamHead } from '../helpers/replay.ts'

const without = (text: string, count: number): string => text.slice(0, -count)
const all = ordinaryEvents.join('')
const upToUsage = ordinaryEvents.slice(0, -1).join('')

for (const { name, body } of [
  { name: '[DONE] has no line end', body: without(all, 2) },
  { name: 'b: the usage event has no line end', body: without(upToUsage, 2) },
  { name: 'c: [DONE] has one line end', body: without(all, 1) },
  { name: 'c: the usage event has one line end', body: without(upToUsage, 1) },
  { name: '[DONE] ends in a bare CR', body: `${without(all, 2)}\r` },
  { name: 'the usage event ends in CRLF', body: `${without(upToUsage, 2)}\r\n` },
]) {
  for (const framing of ['chunks', 'its connection']) {
    test(`B13 ${name}, the body ends by ${framing}: nothing is added, and the tokens count`, async (t) => {
      const head =
        framing === 'chunks' ? streamHead() : Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n')
      const replay = await startReplay(t, async (_request, connection) => {
        await connection.write(Buffer.concat([head, framing === 'chunks' ? chunked(body) : Buffer.from(body)]))
        if (framing !== 'chunks') connection.fin()
      })
      await assertExact(await replay.ask(), { head, body })
      const [record] = await assertOutcomes(replay.proxy, 'ok')
      assert.equal(record?.tokens?.output, 5)
      assert.equal(record?.output.all.events, 5)
    })
  }
}
