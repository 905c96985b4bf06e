import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeldClock } from '../helpers/held-clock.ts'
import { within } from '../helpers/raw-http.ts'
import {
  assertExact,
  assertOutcomes,
  bothKinds,
  chatBody,
  ordinaryBody,
  ordinaryEvents,
  startReplay,
  streamHead,
} from '../helpers/replay.ts'

for (const { kind, request } of bothKinds) {
  test(`B03 the head arrives while the gateway holds the first byte, ${kind}`, async (t) => {
    const clock = new HeldClock()
    const replay = await startReplay(
      t,
      async (_request, connection) => {
        clock.set(40)
        await connection.write(streamHead())
        await answer.head()
        clock.set(1500)
        await connection.chunk(': wait\n\n')
        await answer.seen(': wait\n\n')
        clock.set(2000)
        await connection.chunk(ordinaryBody)
        await connection.last()
      },
      { clock, idle: clock },
    )
    const answer = await replay.ask(request())
    await assertExact(answer, { head: streamHead(), body: `: wait\n\n${ordinaryBody}` })
    const [record] = await assertOutcomes(replay.proxy, 'ok')
    assert.deepEqual(
      [record?.marks.headers, record?.marks.firstByte, record?.marks.firstToken],
      [40, 1500, kind === 'a generation' ? 2000 : undefined],
    )
  })
}

test('B03 fetch() resolves before the first byte of the body', async (t) => {
  const replay = await startReplay(t, async (_request, connection) => {
    await connection.write(streamHead())
    await resolved
    for (const text of ordinaryEvents) await connection.chunk(text)
    await connection.last()
  })
  const answer = fetch(`${replay.proxy.url}/v1/chat/completions`, { method: 'POST', body: chatBody })
  const resolved = answer.then(() => {})
  const { status, text } = await within(
    answer.then(async (got) => ({ status: got.status, text: await got.text() })),
    'the answer',
  )
  assert.deepEqual([status, text], [200, ordinaryBody])
})
