import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { send } from '../helpers/reading-client.ts'
import { chatBody, startReplay, wholeAnswer } from '../helpers/replay.ts'

const url = (proxy: { url: string }): string => `${proxy.url}/v1/chat/completions`

/** The second request on a kept-alive connection is read, answered with `first`, then with a FIN. What is resent: B46. */
async function resends(t: TestContext, first: string): Promise<number> {
  const replay = await startReplay(t, async (_request, connection, n) => {
    if (n !== 1) return void (await connection.write(wholeAnswer('{"choices":[]}')))
    if (first !== '') await connection.write(first)
    connection.fin()
  })
  assert.equal((await send(url(replay.proxy), chatBody).head).statusCode, 200)
  const second = await send(url(replay.proxy), chatBody).head
  second.resume()
  const { resends: count } = await replay.proxy.measurement(1)
  assert.equal(second.statusCode, count === 1 ? 200 : 502)
  assert.equal(replay.gateway.requests.length, count === 1 ? 3 : 2)
  return count
}

for (const head of ['', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 'HTTP']) {
  test(`${JSON.stringify(head)} and an end after the request was read: it is not sent twice`, {
    timeout: 10_000,
  }, async (t) => {
    assert.equal(await resends(t, head), 0)
  })
}
