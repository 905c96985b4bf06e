import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { done, finish, role, say } from '../helpers/chat-events.ts'
import { startHeldGateway } from '../helpers/held-gateway.ts'
import { startProxy } from '../helpers/proxy-under-test.ts'
import { send } from '../helpers/reading-client.ts'

/** Longer than the 300 s that HTTP clients and servers are set to. */
const silence = 310_000

test('310 s of silence, at every place where one can be', { timeout: silence + 60_000 }, async (t) => {
  const gateway = await startHeldGateway(t)
  const proxy = await startProxy(t, gateway.url)
  const body = { model: 'm', stream: true }

  const beforeHead = send(`${proxy.url}/v1/chat/completions`, { model: 'm' })
  const first = await gateway.next()
  const beforeToken = send(`${proxy.url}/v1/chat/completions`, body)
  const second = await gateway.next()
  second.head()
  await beforeToken.head
  const between = send(`${proxy.url}/v1/chat/completions`, body)
  const third = await gateway.next()
  third.head()
  third.write(role + say('before'))
  await between.seen('before')
  const passedThrough = send(`${proxy.url}/v1/files`, undefined, { method: 'GET' })
  const fourth = await gateway.next()
  const uploading = send(`${proxy.url}/v1/chat/completions`, undefined, { unfinished: true })
  uploading.request.write('{"model":')

  await wait(silence)

  first.head(200, { 'content-type': 'application/json' })
  first.end('{}')
  assert.equal((await beforeHead.body).toString(), '{}')
  for (const [held, client] of [
    [second, beforeToken],
    [third, between],
  ] as const) {
    held.end(say('after') + finish() + done)
    assert.match((await client.body).toString(), /after[\s\S]*DONE/)
  }
  fourth.head(200, { 'content-type': 'application/json' })
  fourth.end('{}')
  assert.equal((await passedThrough.body).toString(), '{}')
  uploading.request.end('"m"}')
  const fifth = await gateway.next()
  assert.equal(fifth.body.toString(), '{"model":"m"}')
  fifth.head(200, { 'content-type': 'application/json' })
  fifth.end('{}')
  await uploading.body
  await proxy.measurement(4)
  for (const m of proxy.measurements) assert.equal(m.outcome, 'ok', m.error)
})
