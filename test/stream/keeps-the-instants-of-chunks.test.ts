import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ending, role, say } from '../helpers/chat-events.ts'
import { drip, end, head, play, setStage } from '../helpers/scripted-exchange.ts'

test('the record has the instant of each chunk with output, and its stalls', async (t) => {
  const stage = await setStage(t)
  const { m } = await play(stage, [
    [100, head],
    [150, role],
    ...drip(500, 100, 5, () => say('x')),
    // Two events of one turn are one chunk.
    [2400, [say('y'), say('z')]],
    [2500, end(ending(7))],
  ])
  const { received } = m.marks
  const dispatched = (m.marks.dispatched as number) - received
  assert.deepEqual(
    m.chunkInstants?.list().map((instant) => Math.round(instant - dispatched)),
    [500, 600, 700, 800, 900, 2400],
  )
  assert.deepEqual(
    m.chunkInstants?.stalls().map(({ from, to }) => [from - dispatched, to - dispatched].map(Math.round)),
    [[900, 2400]],
  )
  assert.equal(stage.proxy.started[0]?.chunkInstants, m.chunkInstants, 'the running view has the same')
})

test('what brought no output has none', async (t) => {
  const { m } = await play(await setStage(t), [
    [100, head],
    [150, role],
    [200, end(ending(0))],
  ])
  assert.equal(m.chunkInstants, undefined)
})
