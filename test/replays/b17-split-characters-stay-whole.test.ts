import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertExact,
  assertOutcomes,
  event,
  ordinaryEvents,
  playInStep,
  startReplay,
  streamHead,
} from '../helpers/replay.ts'

const contents = ['é', '模型', '😀', '👨‍👩‍👧', 'e\u0301']
const events = contents.map((content) => event({ choices: [{ index: 0, delta: { content } }] }))
const body = Buffer.from([...events, ...ordinaryEvents.slice(6)].join(''))

/** Cut before every byte that is not ASCII. */
function cut(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = []
  let start = 0
  for (let at = 1; at < bytes.length; at++) {
    if ((bytes[at] as number) < 0x80) continue
    pieces.push(bytes.subarray(start, at))
    start = at
  }
  return [...pieces, bytes.subarray(start)]
}

const withByte = (byte: number): Buffer => {
  const bytes = Buffer.from(
    [event({ choices: [{ index: 0, delta: { content: 'a#b' } }] }), ...ordinaryEvents.slice(6)].join(''),
  )
  bytes[bytes.indexOf('#')] = byte
  return bytes
}

for (const { name, bytes, chars } of [
  { name: 'characters of two to four bytes, cut inside each', bytes: body, chars: [...contents.join('')].length },
  { name: 'b: a byte that no UTF-8 has', bytes: withByte(0xff), chars: 3 },
  { name: 'b: half a character', bytes: withByte(0xe6), chars: 3 },
]) {
  test(`B17 ${name}`, async (t) => {
    const replay = await startReplay(t, async (_request, connection) => {
      await connection.write(streamHead())
      await playInStep(connection, () => answer, cut(bytes))
      await connection.last()
    })
    const answer = await replay.ask()
    await assertExact(answer, { head: streamHead(), body: bytes })
    const [record] = await assertOutcomes(replay.proxy, 'ok')
    assert.equal(record?.output.contentChars, chars)
    assert.equal(record?.tokens?.output, 5)
  })
}

test('B17 c: NUL in the content is passed on; such an event is no JSON and is counted', async (t) => {
  const bytes = withByte(0)
  const replay = await startReplay(t, async (_request, connection) => {
    await connection.write(streamHead())
    await playInStep(connection, () => answer, cut(bytes))
    await connection.last()
  })
  const answer = await replay.ask()
  await assertExact(answer, { head: streamHead(), body: bytes })
  const [record] = await assertOutcomes(replay.proxy, 'ok')
  assert.equal(record?.output.invalidEvents, 1)
})
