import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI, { APIUserAbortError } from 'openai'
import { all, errorOf, messages, plain, quick, sameBothWays } from '../helpers/both-ways.ts'
import { role, say } from '../helpers/chat-events.ts'
import { startHeldGateway } from '../helpers/held-gateway.ts'
import { startProxy } from '../helpers/proxy-under-test.ts'

const client = (baseURL: string): OpenAI => new OpenAI({ baseURL, apiKey: 'sk-mine', maxRetries: 0, timeout: 10_000 })
const chat = { model: 'sim/fast', messages, seed: 3, ...{ sim: { ...quick, tokens: 30 } } }
const withUsage = { stream_options: { include_usage: true } }
const limit = { timeout: 20_000 }

test('chat: streamed with and without usage, and whole', limit, async (t) => {
  const { proxy } = await sameBothWays(t, 3, async (baseUrl) => {
    const openai = client(baseUrl)
    return [
      await all(await openai.chat.completions.create({ ...chat, stream: true })),
      await all(await openai.chat.completions.create({ ...chat, ...withUsage, stream: true })),
      await openai.chat.completions.create(chat),
    ]
  })
  const tokens = proxy.measurements.map((m) => m.tokens?.output)
  assert.deepEqual(tokens, [undefined, 30, 30])
  assert.deepEqual(
    proxy.measurements.map(({ outcome, streamed }) => [outcome, streamed]),
    [
      ['ok', true],
      ['ok', true],
      ['ok', false],
    ],
  )
})

test('reasoning, tools and two choices', limit, async (t) => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } } }
  const tools = [{ type: 'function' as const, function: { name: 'weather', parameters } }]
  const { proxy } = await sameBothWays(t, 5, async (baseUrl) => {
    const { completions } = client(baseUrl).chat
    return [
      await all(await completions.create({ ...chat, ...withUsage, model: 'sim/reasoning', stream: true })),
      await all(await completions.create({ ...chat, ...withUsage, model: 'sim/tools', tools, stream: true })),
      await completions.create({ ...chat, model: 'sim/tools', tools }),
      await all(await completions.create({ ...chat, ...withUsage, n: 2, stream: true })),
      await completions.stream({ ...chat, ...withUsage, n: 2 }).finalChatCompletion(),
    ]
  })
  const [reasoning, tool, , choices] = proxy.measurements
  assert.ok((reasoning?.output.reasoningChars ?? 0) > 0)
  assert.ok((tool?.output.toolChars ?? 0) > 'weather'.length)
  assert.equal(choices?.output.choices, 2)
})

test('errors, before the stream and in it, are the same errors', limit, async (t) => {
  const { proxy } = await sameBothWays(t, 4, async (baseUrl) => {
    const { completions } = client(baseUrl).chat
    const failing = (sim: object): Promise<unknown> =>
      completions.create({ ...chat, stream: true, ...{ sim: { ...quick, tokens: 30, ...sim } } }).then(all)
    return [
      await errorOf(completions.create({ ...chat, model: 'sim/nobody', stream: true })),
      await errorOf(failing({ status: 429 })),
      await errorOf(failing({ status: 500 })),
      await errorOf(failing({ fail: 'error', failAt: 5 })),
    ]
  })
  assert.deepEqual(
    proxy.measurements.map(({ outcome }) => outcome),
    ['http_4xx', 'rate_limited', 'http_5xx', 'stream_error'],
  )
})

test('a cut stream is a broken one for the client, too', limit, async (t) => {
  const { proxy } = await sameBothWays(t, 1, async (baseUrl) => {
    const stream = client(baseUrl).chat.completions.create({
      ...chat,
      stream: true,
      ...{ sim: { ...quick, tokens: 30, fail: 'reset', failAt: 5 } },
    })
    await assert.rejects(stream.then(all))
    return 'broken'
  })
  assert.equal(proxy.measurements[0]?.outcome, 'gateway_error')
})

test('legacy completions, responses, models and embeddings', limit, async (t) => {
  const { proxy } = await sameBothWays(t, 7, async (baseUrl) => {
    const openai = client(baseUrl)
    const legacy = { model: 'sim/fast', prompt: 'Once', seed: 3, ...{ sim: { ...quick, tokens: 20 } } }
    const response = { model: 'sim/reasoning', input: 'Say it.', seed: 3, ...{ sim: { ...quick, tokens: 40 } } }
    return [
      await openai.completions.create(legacy),
      await all(await openai.completions.create({ ...legacy, ...withUsage, stream: true })),
      await openai.responses.create(response),
      await all(await openai.responses.create({ ...response, stream: true })),
      await all(openai.models.list()),
      await openai.models.retrieve('sim/fast'),
      await openai.embeddings.create({ model: 'sim/embedding', input: ['water', 'river'] }),
    ]
  })
  assert.deepEqual(
    proxy.measurements.map(({ identity, outcome }) => [identity.operation, outcome]),
    [
      ['completions', 'ok'],
      ['completions', 'ok'],
      ['responses', 'ok'],
      ['responses', 'ok'],
      [undefined, 'ok'],
      [undefined, 'ok'],
      [undefined, 'ok'],
    ],
  )
})

test('8 in parallel each get their own answer', limit, async (t) => {
  const { proxy } = await sameBothWays(t, 8, async (baseUrl) => {
    const openai = client(baseUrl)
    const streams = Array.from({ length: 8 }, (_, index) =>
      openai.chat.completions
        .create({ ...chat, ...withUsage, seed: index, stream: true, ...{ sim: { ...quick, tokens: 20 + index } } })
        .then(all),
    )
    const texts = (await Promise.all(streams)).map((parts) =>
      parts.map((part) => [part.choices[0]?.delta.content, part.choices[0]?.finish_reason, part.usage]),
    )
    assert.equal(new Set(texts.map((text) => JSON.stringify(text))).size, 8)
    return texts
  })
  assert.deepEqual(proxy.measurements.map((m) => m.tokens?.output).sort(), [20, 21, 22, 23, 24, 25, 26, 27])
})

test('an abort half-way: the client, the gateway and the record all see it', limit, async (t) => {
  const gateway = await startHeldGateway(t)
  const proxy = await startProxy(t, gateway.url)
  for (const baseUrl of [gateway.url, `${proxy.url}/v1`]) {
    const asked = client(baseUrl).chat.completions.create({ ...chat, stream: true })
    const held = await gateway.next()
    held.head()
    held.write(role + say('first'))
    const stream = await asked
    const seen = []
    for await (const part of stream) {
      seen.push(part.choices[0]?.delta.content)
      // The library's iterator ends quietly where its own controller aborts.
      if (seen.length === 2) stream.controller.abort()
    }
    assert.deepEqual(seen, ['', 'first'])
    await held.gone
  }
  const m = await proxy.measurement()
  assert.equal(m.outcome, 'client_abort')
  assert.equal(m.error, 'left_mid_answer')
  assert.equal(m.output.contentChars, 5)
})

test('an abort before the headers stops the gateway', limit, async (t) => {
  const gateway = await startHeldGateway(t)
  const proxy = await startProxy(t, gateway.url)
  for (const baseUrl of [gateway.url, `${proxy.url}/v1`]) {
    const abort = new AbortController()
    const asked = client(baseUrl).chat.completions.create({ ...chat, stream: true }, { signal: abort.signal })
    const held = await gateway.next()
    abort.abort()
    await assert.rejects(asked, APIUserAbortError)
    await held.gone
  }
  const m = await proxy.measurement()
  assert.equal(m.outcome, 'client_abort')
  assert.equal(m.error, 'left_before_headers')
})

test('the request reaches the gateway as the client sent it, its key included', limit, async (t) => {
  const gateway = await startHeldGateway(t)
  const proxy = await startProxy(t, gateway.url)
  const sent: unknown[] = []
  for (const baseUrl of [gateway.url, `${proxy.url}/v1`]) {
    const asked = client(baseUrl).chat.completions.create({ ...chat, stream: false })
    const held = await gateway.next()
    const { host, connection, ...headers } = held.request.headers
    sent.push([held.request.method, held.request.url, headers, held.body.toString()])
    held.head(200, { 'content-type': 'application/json' })
    held.end('{"choices":[]}')
    assert.deepEqual(plain(await asked), { choices: [] })
  }
  assert.deepEqual(sent[1], sent[0])
  assert.match(JSON.stringify(sent[1]), /Bearer sk-mine/)
})
