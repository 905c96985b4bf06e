import assert from 'node:assert/strict'
import { request } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sumIn } from '../helpers/exposition.ts'
import { openRawClient } from '../helpers/raw-client.ts'
import { within } from '../helpers/raw-http.ts'
import { referenceProxies } from '../helpers/reference-proxies.ts'
import { chatRequest } from '../helpers/replay.ts'
import { ask, bodyOf, firstEvent, type Replicas, requestOf, startReplicas, type Wish } from '../helpers/replicas.ts'
import type { ServedProcess } from '../helpers/served-process.ts'
import { requireTool } from '../helpers/tools.ts'

// Whatever the environment of whoever runs the tests says.
process.env['NO_PROXY'] = '*'

const inFlight = async (replica: ServedProcess): Promise<number> =>
  sumIn((await replica.get('metrics')).text, 'streamgauge_streams_in_flight')

/** Waits for a stream that the gateway holds. @returns the replica that carries it, and the other */
async function carrying({ pair }: Replicas): Promise<[ServedProcess, ServedProcess]> {
  for (;;) {
    if ((await inFlight(pair[0])) > 0) return [pair[0], pair[1]]
    if ((await inFlight(pair[1])) > 0) return [pair[1], pair[0]]
    await delay(10)
  }
}

/** Lines of the log about what did not end well, once there are so many. */
async function failures(replicas: Replicas, count: number): Promise<unknown[][]> {
  const found = () => replicas.exchanges().filter(({ outcome }) => outcome !== 'ok')
  while (found().length < count) await delay(10)
  // One that is counted twice is counted soon.
  await delay(100)
  return found().map(({ outcome, error }) => [outcome, error])
}

async function stream(t: TestContext, url: string, wish: Wish) {
  return (await openRawClient(t, url)).ask(chatRequest([], requestOf(wish)))
}

for (const balancer of referenceProxies) {
  test(`${balancer}: a replica is stopped: its stream ends whole, and no request is lost`, {
    timeout: 30_000,
  }, async (t) => {
    if (!requireTool(t, balancer)) return
    const replicas = await startReplicas(t, balancer, balancer === 'haproxy' ? 'proxy: { drainDelay: 2s }' : '')
    const long: Wish = { id: 0, hold: 'middle' }
    const answer = await stream(t, replicas.url, long)
    await answer.seen(firstEvent(long))
    const [stopped, other] = await carrying(replicas)

    let next = 1
    let going = true
    const got: { wish: Wish; status: number; body: string }[] = []
    const client = async (): Promise<void> => {
      while (going) {
        const wish = { id: next++, ttftMs: 2 }
        got.push({ wish, ...(await ask(replicas.url, wish)) })
      }
    }
    const clients = [client(), client(), client()]
    while (got.length < 60) await delay(10)
    await replicas.balancer.takeOut(stopped)
    stopped.kill('SIGTERM')
    await stopped.logged('draining: running streams may finish')
    const atStop = got.length
    while (got.length < atStop + 120) await delay(10)
    assert.equal(answer.message.complete, false)
    replicas.release(long.id)
    const whole = await answer.over()
    assert.deepEqual([whole.complete, whole.body.toString()], [true, bodyOf(long)])
    assert.deepEqual(await within(stopped.exited, 'the exit'), { code: 0, signal: null })
    const afterExit = got.length
    while (got.length < afterExit + 30) await delay(10)
    going = false
    await Promise.all(clients)

    assert.deepEqual(
      got.filter(({ wish, status, body }) => status !== 200 || body !== bodyOf(wish)),
      [],
    )
    assert.deepEqual(
      replicas.asked.toSorted((one, another) => one - another),
      [...Array(next).keys()],
    )
    while (replicas.exchanges().length < next) await delay(10)
    const lines = replicas.exchanges()
    assert.deepEqual([lines.length, new Set(lines.map(({ id }) => id)).size], [next, next])
    assert.ok(lines.every(({ outcome }) => outcome === 'ok'))
    const text = (await other.get('metrics')).text
    const own = other.lines().filter(({ msg }) => msg === 'exchange').length
    assert.equal(sumIn(text, 'streamgauge_requests_total'), own)
  })

  test(`${balancer}: a client that leaves stops the gateway, and is counted once`, { timeout: 30_000 }, async (t) => {
    if (!requireTool(t, balancer)) return
    const replicas = await startReplicas(t, balancer)
    for (const wish of [
      { id: 1, hold: 'head' },
      { id: 2, hold: 'middle' },
    ] as const) {
      const client = await openRawClient(t, replicas.url)
      const answer = client.ask(chatRequest([], requestOf(wish)))
      if (wish.hold === 'middle') await answer.seen(firstEvent(wish))
      while (!replicas.asked.includes(wish.id)) await delay(10)
      client.socket.destroy()
      await within(replicas.left.get(wish.id) as Promise<void>, `${wish.hold}: the end of the gateway's connection`)
    }
    assert.deepEqual(await failures(replicas, 2), [
      ['client_abort', 'left_before_headers'],
      ['client_abort', 'left_mid_answer'],
    ])
    assert.deepEqual(replicas.asked, [1, 2])
  })

  test(`${balancer}: what was cut stays visibly cut`, { timeout: 30_000 }, async (t) => {
    if (!requireTool(t, balancer)) return
    const replicas = await startReplicas(t, balancer)
    const wish: Wish = { id: 1, cut: true }
    const got = await (await stream(t, replicas.url, wish)).over()
    assert.deepEqual([got.complete, got.body.toString()], [false, firstEvent(wish)])
    assert.deepEqual(await failures(replicas, 1), [['gateway_error', 'reset']])
    assert.deepEqual(replicas.asked, [1])
  })

  test(`${balancer}: lines of the gateway steer nobody, and large heads pass`, { timeout: 30_000 }, async (t) => {
    if (!requireTool(t, balancer)) return
    const replicas = await startReplicas(t, balancer)
    const large = 'x'.repeat(40_000)
    const headers = {
      'x-accel-redirect': '/elsewhere',
      'x-accel-buffering': 'yes',
      'x-accel-limit-rate': '1',
      server: 'gateway',
      'x-large': large,
    }
    const wish: Wish = { id: 1, headers }
    const client = await openRawClient(t, replicas.url)
    const got = await client.ask(chatRequest([`x-large: ${large}`], requestOf(wish))).over()
    assert.deepEqual([got.status, got.complete, got.body.toString()], [200, true, bodyOf(wish)])
    for (const [name, value] of Object.entries(headers)) assert.deepEqual(got.values(name), [value], name)
  })

  test(`${balancer}: a name that is not allowed is refused, as without it`, { timeout: 30_000 }, async (t) => {
    if (!requireTool(t, balancer)) return
    const replicas = await startReplicas(t, balancer, 'proxy: { allowedHosts: [llm.example.com] }')
    const statusFor = (host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const asking = request(
          `${replicas.url}/v1/chat/completions`,
          { method: 'POST', headers: { host } },
          (answer) => {
            resolve(answer.statusCode)
            answer.resume()
          },
        )
        asking.on('error', reject).end(requestOf({ id: 1 }))
      })
    assert.equal(await statusFor('rebound.example'), 421)
    assert.equal(await statusFor('llm.example.com'), 200)
  })
}
