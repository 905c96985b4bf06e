import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openRawClient, requestBytes } from '../helpers/raw-client.ts'
import {
  assertExact,
  assertOutcomes,
  chatRequest,
  ordinaryBody,
  ordinaryEvents,
  startReplay,
  streamHead,
  wholeAnswer,
} from '../helpers/replay.ts'

const seconds = 1000
const whole = JSON.stringify({
  choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }],
  usage: { completion_tokens: 1 },
})

/** Waiting for an answer that takes minutes is beyond the guards of the other tests. */
async function ended(message: { complete: boolean }, withinMs: number): Promise<void> {
  for (let waited = 0; !message.complete && waited < withinMs; waited += 500) await pause(500)
  assert.equal(message.complete, true)
}

describe('what other proxies end after 5 s, 60 s, 65 s or 300 s', { concurrency: true, timeout: 800 * seconds }, () => {
  test('B01 a pause of 310 s inside a stream', async (t) => {
    const replay = await startReplay(t, async (_, connection) => {
      await connection.write(streamHead())
      await connection.chunk(ordinaryEvents.slice(0, 2).join(''))
      await pause(310 * seconds)
      await connection.chunk(ordinaryEvents.slice(2).join(''))
      await connection.last()
    })
    const answer = await replay.ask()
    await ended(answer.message, 330 * seconds)
    await assertExact(answer, { head: streamHead(), body: ordinaryBody })
    await assertOutcomes(replay.proxy, 'ok')
  })

  test('B02 an answer that takes 310 s', async (t) => {
    const replay = await startReplay(t, async (_, connection) => {
      await pause(310 * seconds)
      await connection.write(wholeAnswer(whole))
    })
    const answer = await replay.ask(chatRequest([], JSON.stringify({ model: 'm', messages: [] })))
    await ended(answer.message, 330 * seconds)
    assert.deepEqual([answer.message.status, answer.message.body.toString()], [200, whole])
    const [record] = await assertOutcomes(replay.proxy, 'ok')
    assert.ok((record?.marks.ended ?? 0) - (record?.marks.dispatched ?? 0) >= 310 * seconds)
  })

  for (const [idle, keepAlive] of [
    [65, 75],
    [605, 660],
  ] as const) {
    test(`B04 a: a connection that was idle for ${idle} s, with keepAlive ${keepAlive} s`, async (t) => {
      const config = { proxy: { keepAlive: keepAlive * seconds } }
      const replay = await startReplay(t, (_, connection) => connection.write(wholeAnswer('{}')), { config })
      const client = await openRawClient(t, replay.proxy.url)
      assert.equal((await client.ask(requestBytes()).over()).status, 200)
      await pause(idle * seconds)
      assert.equal((await client.ask(requestBytes()).over()).status, 200)
    })
  }

  for (const path of ['/v1/chat/completions', '/v1/files']) {
    test(`B04 b: an upload of 620 kB in 310 s to ${path}`, async (t) => {
      const replay = await startReplay(t, (_, connection) => connection.write(wholeAnswer('{}')))
      const client = await openRawClient(t, replay.proxy.url)
      const bytes = requestBytes({ method: 'POST', target: path, body: Buffer.alloc(620_000, 'x') })
      const answer = client.expect('POST')
      for (let at = 0; at < bytes.length; at += 2000) {
        await client.write(bytes.subarray(at, at + 2000))
        await pause(1 * seconds)
      }
      assert.equal((await answer.over()).status, 200)
      assert.equal(replay.gateway.requests[0]?.body.length, 620_000)
      await assertOutcomes(replay.proxy, 'ok')
    })
  }

  test('B04 c: a head that takes longer than a minute is 408 and counted; a connection that says nothing is closed and is not', async (t) => {
    const replay = await startReplay(t, () => {})
    const slow = await openRawClient(t, replay.proxy.url)
    const silent = await openRawClient(t, replay.proxy.url)
    const answer = slow.expect()
    await slow.write('GET /v1/models HTTP/1.1\r\nhost: x\r\n')
    for (let waited = 0; waited < 55; waited += 5) {
      await pause(5 * seconds)
      await slow.write(`x-${waited}: 1\r\n`)
    }
    await ended(answer.message, 60 * seconds)
    assert.equal(answer.message.status, 408)
    await silent.closed
    const [record] = await assertOutcomes(replay.proxy, 'rejected')
    assert.equal(record?.error, 'head_timeout')
  })
})
