import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { models } from '../../src/simulator/models.ts'
import type { ExchangeTruth } from '../../src/simulator/simulator.ts'
import { ask, dataOf, type Loose, simulatedGateway, userSays } from '../helpers/simulated-gateway.ts'

const messages = userSays('Say something.')
const quick = { headersMs: 0, ttftMs: 1, tokensPerSecond: 50_000 }

async function play(
  t: TestContext,
  model: string,
  body: object = {},
): Promise<{ text: string; truth: ExchangeTruth; answer: Response }> {
  const simulator = await simulatedGateway(t)
  const answer = await ask(simulator, {
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    sim: quick,
    ...body,
  })
  const text = await answer.text()
  return { text, truth: simulator.truth(answer.headers.get('x-request-id')!)!, answer }
}

const usageOf = (text: string): Loose => dataOf(text).findLast((event) => event.usage)?.usage

test('there are the models that the documentation names', () => {
  const names =
    'fast reasoning bursty slow-start frontier hidden-reasoning summarised-reasoning stalls flaky cached loaded fallback tools hang'
  assert.deepEqual(
    models.map((model) => model.name),
    names.split(' ').map((name) => `sim/${name}`),
  )
})

test('a suffix makes a new name for the same model', async (t) => {
  const { text, truth } = await play(t, 'sim/fast:free')
  assert.equal(truth.servedModel, 'sim/fast:free')
  assert.equal(dataOf(text)[0].model, 'sim/fast:free')
})

test('bursty: eight events a write', async (t) => {
  const { truth } = await play(t, 'sim/bursty')
  assert.deepEqual([truth.written.events, truth.written.writes, truth.written.firstWriteTokens], [120, 15, 8])
})

test('slow-start: comments before the first token', async (t) => {
  const { text, truth } = await play(t, 'sim/slow-start', { sim: { ...quick, ttftMs: 50, comments: [10, 20, 30] } })
  assert.equal(truth.written.comments, 3)
  assert.ok(
    text.lastIndexOf(': keep-alive') < text.indexOf('"content":"'.concat(dataOf(text)[1].choices[0].delta.content)),
  )
})

test('hidden-reasoning: counted, never streamed', async (t) => {
  const { text, truth } = await play(t, 'sim/hidden-reasoning')
  const usage = usageOf(text)
  const reasoning = usage.completion_tokens_details.reasoning_tokens
  assert.ok(reasoning >= 110)
  assert.equal(truth.written.tokens, usage.completion_tokens - reasoning)
  assert.equal(truth.chars.reasoning, 0)
  assert.ok(!text.includes('reasoning_content'))
})

test('summarised-reasoning: fewer code points than tokens', async (t) => {
  const { text, truth } = await play(t, 'sim/summarised-reasoning', { sim: { ...quick, firstAnswerMs: 5 } })
  assert.equal(usageOf(text).completion_tokens, 400)
  assert.ok(truth.chars.reasoning > 0 && truth.chars.reasoning < 300)
  assert.equal(truth.written.firstWriteTokens, 0)
  assert.equal(truth.written.answerFirstWriteTokens, 1)
})

test('stalls: one silence, where the script wants it', async (t) => {
  const { truth } = await play(t, 'sim/stalls', { sim: { ...quick, stallAt: 30, stallMs: 60 } })
  assert.deepEqual(truth.injected, ['stall'])
  assert.ok(truth.instants[30]! >= 1 + 60)
  assert.ok(truth.instants[29]! < truth.instants[30]!)
})

test('cached: only with a hint, only from 1024 tokens, and the second time', async (t) => {
  const simulator = await simulatedGateway(t)
  const long = 'abcd'.repeat(1024)
  const chat = async (content: unknown, extra: object = {}) => {
    const sim = { tokensPerSecond: 50_000 }
    const body = {
      model: 'sim/cached',
      messages: [...userSays(content), ...userSays('now')],
      max_tokens: 1,
      sim,
      ...extra,
    }
    const { usage } = (await (await ask(simulator, body)).json()) as Loose
    return usage.prompt_tokens_details.cached_tokens
  }
  const marked = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }]
  const sim = quick
  assert.equal(await chat(long, { sim }), 0)
  assert.equal(await chat(long, { sim }), 0)
  assert.equal(await chat(marked(long), { sim }), 0)
  assert.equal(await chat(marked(long), { sim }), 1024)
  assert.equal(await chat(marked(`x${long}`), { sim }), 0)
  assert.equal(await chat(marked('short'), { sim }), 0)
  assert.equal(await chat(marked('short'), { sim }), 0)
  assert.equal(await chat(`y${long}`, { sim, prompt_cache_key: 'k' }), 0)
  assert.equal(await chat(`y${long}`, { sim, prompt_cache_key: 'k' }), 1025)
  assert.equal(await chat(`y${long}`, { sim, prompt_cache_key: 'other' }), 0)
})

test('fallback: another model and provider answer', async (t) => {
  const { text, truth, answer } = await play(t, 'sim/fallback')
  assert.equal(truth.model, 'sim/fallback')
  assert.deepEqual([truth.servedModel, truth.provider], ['sim/frontier-backup', 'SimCloud'])
  assert.deepEqual([dataOf(text)[0].model, dataOf(text)[0].provider], ['sim/frontier-backup', 'SimCloud'])
  assert.equal(answer.headers.get('x-portkey-provider'), 'SimCloud')
})

test('tools: a tool is called even if none was declared', async (t) => {
  const { text, truth } = await play(t, 'sim/tools')
  assert.equal(
    dataOf(text).findLast((event) => event.choices?.[0]?.finish_reason).choices[0].finish_reason,
    'tool_calls',
  )
  assert.equal(usageOf(text).completion_tokens, truth.written.tokens)
  assert.ok(truth.chars.tool > 0 && truth.chars.answer === 0)
})
