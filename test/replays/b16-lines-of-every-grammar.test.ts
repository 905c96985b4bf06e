import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertExact,
  assertOutcomes,
  contentEvents,
  ordinaryBody,
  ordinaryEvents,
  playInStep,
  startReplay,
  streamHead,
} from '../helpers/replay.ts'

const withEnds = (end: string): string[] => ordinaryEvents.map((text) => text.replaceAll('\n', end))
const done = ordinaryEvents.at(-1) as string

const cases: readonly { name: string; pieces: readonly (string | Buffer)[]; events?: number }[] = [
  { name: 'a: CRLF', pieces: withEnds('\r\n') },
  { name: 'b: bare CR', pieces: withEnds('\r') },
  {
    name: 'c: LF after the data, CRLF after the event',
    pieces: ordinaryEvents.map((text) => text.replace('\n\n', '\n\r\n')),
  },
  {
    name: 'c: CRLF after the data, LF after the event',
    pieces: ordinaryEvents.map((text) => text.replace('\n\n', '\r\n\n')),
  },
  { name: 'd: CR and LF in two writes', pieces: withEnds('\r\n').flatMap((text) => text.split(/(?<=\r)|(?<=\n)/)) },
  { name: 'e: one byte a write', pieces: [...ordinaryBody] },
  { name: 'e: one byte a write, CRLF', pieces: [...withEnds('\r\n').join('')] },
  { name: 'f: all events in one write', pieces: [ordinaryBody] },
  { name: 'g: no space after the colon', pieces: ordinaryEvents.map((text) => text.replace('data: ', 'data:')) },
  { name: 'g: two spaces after the colon', pieces: ordinaryEvents.map((text) => text.replace('data: {', 'data:  {')) },
  {
    name: 'h: two data lines an event',
    pieces: ordinaryEvents.map((text) => text.replace('"choices":', '\ndata: "choices":')),
  },
  { name: 'i: a byte order mark', pieces: ['\ufeff', ...ordinaryEvents] },
  {
    name: 'i: a byte order mark in three writes',
    pieces: [Buffer.from([0xef]), Buffer.from([0xbb]), Buffer.from([0xbf]), ...ordinaryEvents],
  },
  {
    name: 'j: id, retry and unknown fields',
    pieces: ordinaryEvents.map((text) => `id: 1\nretry: 10\nfoo: bar\nfoo\n${text}`),
  },
  {
    name: 'j: fields after the data',
    pieces: ordinaryEvents.map((text) => text.replace(/\n\n$/, '\nid: 2\nevent: message\n\n')),
  },
  {
    name: 'an event cut in the middle of its name',
    pieces: ordinaryEvents.flatMap((text) => [text.slice(0, 3), text.slice(3)]),
  },
  {
    name: 'the blank line comes with the next event',
    pieces: [
      ordinaryEvents[0]?.slice(0, -1) as string,
      ...ordinaryEvents.slice(1, -1).map((text) => `\n${text.slice(0, -1)}`),
      `\n${done}`,
    ],
  },
  { name: 'blank lines without end between the events', pieces: ordinaryEvents.map((text) => `\n\n\n${text}`) },
]

for (const { name, pieces } of cases) {
  test(`B16 ${name}: passed on at once, and read the same`, async (t) => {
    const replay = await startReplay(t, async (_request, connection) => {
      await connection.write(streamHead())
      await playInStep(connection, () => answer, pieces)
      await connection.last()
    })
    const answer = await replay.ask()
    await assertExact(answer, {
      head: streamHead(),
      body: Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))),
    })
    const [record] = await assertOutcomes(replay.proxy, 'ok')
    assert.equal(record?.output.all.events, contentEvents.length)
    assert.equal(record?.tokens?.output, 5)
    assert.equal(record?.output.contentChars, 'One two three four five'.length)
    assert.deepEqual(record?.measurementErrors, [])
  })
}

test('B16 d: the event is complete at its CR; the LF may take its time', async (t) => {
  const replay = await startReplay(t, async (_request, connection) => {
    await connection.write(streamHead())
    await playInStep(connection, () => answer, [`${contentEvents[0]?.trimEnd()}\r\n\r`])
    firstToken = replay.proxy.started[0]?.marks.firstToken !== undefined
    await playInStep(connection, () => answer, [])
    await connection.chunk(`\n${ordinaryEvents.slice(6).join('')}`)
    await connection.last()
  })
  let firstToken = false
  const answer = await replay.ask()
  await answer.over()
  await assertOutcomes(replay.proxy, 'ok')
  assert.equal(firstToken, true)
})
