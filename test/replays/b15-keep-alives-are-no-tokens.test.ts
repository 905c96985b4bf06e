import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumIn } from '../helpers/exposition.ts'
import { HeldClock } from '../helpers/held-clock.ts'
import {
  assertExact,
  assertOutcomes,
  ordinaryBody,
  ordinaryEvents,
  startReplay,
  streamHead,
} from '../helpers/replay.ts'

const keepAlives = [
  ': OPENROUTER PROCESSING\n\n',
  ': ping\n',
  ':\n\n',
  'data:\n\n',
  'data: \n\n',
  'event: ping\ndata: {"type":"ping"}\n\n',
  'event: ping\ndata: {"type": "ping"}\n\n',
  'event: keepalive\n\n',
  'id: 1\n\n',
  'retry: 3000\n\n',
  '\n',
  '\r\n',
  '\r',
]

for (const text of keepAlives) {
  test(`B15 ${JSON.stringify(text)} before and between the tokens`, async (t) => {
    const clock = new HeldClock()
    const replay = await startReplay(
      t,
      async (_request, connection) => {
        const send = async (at: number, piece: string): Promise<void> => {
          clock.set(at)
          await connection.chunk(piece)
          length += piece.length
          await answer.seen(length)
        }
        let length = 0
        await connection.write(streamHead())
        for (let n = 1; n <= 10; n++) await send(200 * n, text)
        await send(2000, ordinaryEvents.slice(0, 2).join(''))
        await send(2500, text)
        await send(3000, ordinaryEvents.slice(2, 3).join(''))
        await send(3500, ordinaryEvents.slice(3).join(''))
        await connection.last()
      },
      { clock, idle: clock },
    )
    const answer = await replay.ask()
    const body =
      text.repeat(10) +
      ordinaryEvents.slice(0, 2).join('') +
      text +
      ordinaryEvents.slice(2, 3).join('') +
      ordinaryEvents.slice(3).join('')
    assert.equal(body.replaceAll(text, '').length, ordinaryBody.replaceAll(text, '').length)
    await assertExact(answer, { head: streamHead(), body })
    const [record] = await assertOutcomes(replay.proxy, 'ok')
    assert.equal(record?.marks.firstByte, 200)
    assert.equal(record?.marks.firstToken, 2000)
    assert.equal(record?.tokens?.output, 5)
    assert.equal(record?.output.invalidEvents, 0)
    assert.deepEqual(record?.measurementErrors, [])
    const metrics = await replay.proxy.metrics()
    // 2000 → 3000 → 3500: what came between is no chunk of output.
    assert.equal(sumIn(metrics, 'streamgauge_inter_chunk_seconds_count'), 2)
    assert.equal(sumIn(metrics, 'streamgauge_inter_chunk_seconds_sum'), 1.5)
    assert.equal(replay.proxy.log.length, 1, 'one line an exchange, whatever keeps it alive')
  })
}
