import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluate } from '../../src/measurement/figures.ts'
import { HeldClock } from '../helpers/held-clock.ts'
import { startHeldGateway } from '../helpers/held-gateway.ts'
import { startProxy } from '../helpers/proxy-under-test.ts'
import { send } from '../helpers/reading-client.ts'

const event = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'x', model: 'm-1', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

test('the reference stream: TTFT 2.110 s, first answer 8.110 s, 75 tokens a second', { timeout: 10_000 }, async (t) => {
  const clock = new HeldClock()
  const gateway = await startHeldGateway(t)
  const proxy = await startProxy(t, gateway.url, { clock, idle: clock })

  clock.set(40)
  const client = send(`${proxy.url}/v1/chat/completions`, { model: 'm', stream: true, messages: [] })
  const held = await gateway.next()
  clock.set(100)
  held.head()
  await client.head
  const at = async (ms: number, text: string): Promise<void> => {
    clock.set(ms)
    held.write(text)
    await client.seen(text)
  }
  await at(120, ': OPENROUTER PROCESSING\n\n')
  await at(150, event({ role: 'assistant', content: '' }))
  await at(2150, event({ reasoning: 'r'.repeat(10) }))
  // 150 tokens of reasoning in all; N1 = round(601 * C1 / C) = 1.
  await at(5000, event({ reasoning: `${'s'.repeat(590)}` }))
  await at(8150, event({ content: 'a' }))
  await at(9000, event({ content: 'b'.repeat(5000) }))
  await at(10_150, event({ content: '!'.repeat(409) }))
  clock.set(10_161)
  held.end(
    `${event({}, 'stop')}data: ${JSON.stringify({ id: 'x', choices: [], usage: { prompt_tokens: 20, completion_tokens: 601, total_tokens: 621, completion_tokens_details: { reasoning_tokens: 150 } } })}\n\ndata: [DONE]\n\n`,
  )
  await client.body
  const m = await proxy.measurement()
  const { figures } = evaluate(m)
  assert.equal(figures['time_to_headers_seconds'], 0.06)
  assert.equal(figures['time_to_first_byte_seconds'], 0.08)
  assert.equal(figures['time_to_first_token_seconds'], 2.11)
  assert.equal(figures['time_to_first_answer_seconds'], 8.11)
  assert.equal(figures['output_tokens_per_second'], 75)
  assert.equal(figures['request_duration_seconds'], 10.121)
  assert.equal(m.outcome, 'ok')
})
