import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ending, role, say } from '../helpers/chat-events.ts'
import { valueIn } from '../helpers/exposition.ts'
import { send } from '../helpers/reading-client.ts'
import { setStage } from '../helpers/scripted-exchange.ts'

const model = { gateway: 'default', model: 'm' }

test('a gateway that hangs shows at the next scrape, and the first token before the end', {
  timeout: 10_000,
}, async (t) => {
  const { clock, gateway, proxy } = await setStage(t)
  const read = async (): Promise<(number | undefined)[]> => {
    const text = await proxy.metrics()
    return [
      ...['in_flight', 'awaiting_first_token'].map((name) => valueIn(text, `streamgauge_streams_${name}`, model)),
      valueIn(text, 'streamgauge_longest_wait_seconds', model),
      valueIn(text, 'streamgauge_time_to_first_token_seconds_count'),
    ]
  }
  const ask = (): ReturnType<typeof send> => send(`${proxy.url}/v1/chat/completions`, { model: 'm', stream: true })

  clock.set(1000)
  const first = ask()
  const held = await gateway.next()
  clock.set(31_000)
  // Not even a head has come.
  assert.deepEqual(await read(), [1, 1, 30, 0])
  held.head()
  held.write(role)
  await first.seen('assistant')
  // Nor a token.
  assert.deepEqual(await read(), [1, 1, 30, 0])

  const second = ask()
  const other = await gateway.next()
  clock.set(35_000)
  assert.deepEqual(await read(), [2, 2, 34, 0])
  held.write(say('first'))
  await first.seen('first')
  // The first stream's TTFT stands there while it runs; the second waits on.
  assert.deepEqual(await read(), [2, 1, 4, 1])
  assert.equal(valueIn(await proxy.metrics(), 'streamgauge_time_to_first_token_seconds_sum'), 34)

  held.end(ending(1))
  await first.body
  await proxy.measurement()
  assert.deepEqual(await read(), [1, 1, 4, 1])
  second.request.destroy()
  await other.gone
  await proxy.measurement(1)
  assert.deepEqual(await read(), [0, 0, 0, 1])
})

test('what is not streamed waits for no first token', { timeout: 10_000 }, async (t) => {
  const { clock, gateway, proxy } = await setStage(t)
  const client = send(`${proxy.url}/v1/chat/completions`, { model: 'm' })
  const held = await gateway.next()
  clock.set(30_000)
  const text = await proxy.metrics()
  assert.equal(valueIn(text, 'streamgauge_streams_in_flight') ?? 0, 0)
  assert.equal(valueIn(text, 'streamgauge_longest_wait_seconds') ?? 0, 0)
  held.head(200, { 'content-type': 'application/json' })
  held.end('{}')
  await client.body
})
