import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFrom } from '../../src/config/load.ts'
import { startService } from '../../src/service.ts'
import type { ExchangeTruth } from '../../src/simulator/simulator.ts'
import { type Loose, simulatedGateway, userSays } from '../helpers/simulated-gateway.ts'

// Whatever the environment of whoever runs the tests says.
process.env['NO_PROXY'] = '*'

const quick = { headersMs: 0, ttftMs: 2, firstAnswerMs: 40, tokensPerSecond: 4000, stallMs: 5 }
const models = [
  'sim/fast',
  'sim/reasoning',
  'sim/bursty',
  'sim/hidden-reasoning',
  'sim/summarised-reasoning',
  'sim/stalls',
  'sim/fallback',
  'sim/tools',
]
const properties = { city: { type: 'string' }, days: { type: 'integer' } }
const parameters = { type: 'object', properties }
const said = userSays('How fast does the river flow?')
const functionTool = { type: 'function', function: { name: 'weather', parameters } }

const operations = {
  chat: {
    path: '/v1/chat/completions',
    body: { messages: said, tools: [functionTool], stream_options: { include_usage: true } },
  },
  completions: { path: '/v1/completions', body: { prompt: 'How', stream_options: { include_usage: true } } },
  responses: {
    path: '/v1/responses',
    body: { input: said, tools: [{ type: 'function', name: 'weather', parameters }] },
  },
  messages: {
    path: '/v1/messages',
    body: { messages: said, max_tokens: 1000, tools: [{ name: 'weather', input_schema: parameters }] },
  },
  ollama_chat: { path: '/api/chat', body: { messages: said, tools: [functionTool] } },
  ollama_generate: { path: '/api/generate', body: { prompt: 'How' } },
}

/** What both sides must agree on whatever the clock does. */
function byTruth(truth: ExchangeTruth) {
  const { chars, written, tokens } = truth
  // Anthropic's and Ollama's usage does not tell reasoning apart.
  const counted = ['messages', 'ollama_chat', 'ollama_generate'].includes(String(truth.operation))
  return {
    operation: truth.operation,
    model: truth.model,
    served_model: truth.servedModel,
    outcome: 'ok',
    streamed: truth.streamed,
    events: written.events,
    bytes: written.bytes,
    content_chars: chars.answer,
    reasoning_chars: chars.reasoning,
    tool_chars: chars.tool,
    input: tokens.input,
    output: tokens.output,
    reasoning: counted ? null : tokens.reasoning,
  }
}

function byLog(logged: Loose) {
  const { operation, model, served_model, outcome, streamed, output, tokens } = logged
  const { events, bytes, content_chars, reasoning_chars, tool_chars } = output
  const { input, output: generated, reasoning } = tokens
  return {
    ...{ operation, model, served_model, outcome, streamed },
    ...{ events, bytes, content_chars, reasoning_chars, tool_chars },
    ...{ input, output: generated, reasoning },
  }
}

const cases = Object.entries(operations).flatMap(([operation, { path, body }]) => [
  { operation, path, body, gzip: false },
  { operation: `${operation}, compressed`, path, body, gzip: true },
])

for (const { operation, path, body, gzip } of cases) {
  test(`${operation}: events, bytes, characters and tokens of every model are what the simulator wrote`, {
    timeout: 30_000,
  }, async (t) => {
    const simulator = await simulatedGateway(t)
    const logged = new Map<string, Loose>()
    const service = await startService(
      configFrom({ gateways: [{ name: 'sim', url: simulator.url }], proxy: { port: 0 }, admin: { port: 0 } }),
      {
        log: {
          write(line) {
            const entry = JSON.parse(line)
            if (entry.msg === 'exchange') logged.set(entry.gateway_request_id, entry)
          },
        },
      },
    )
    t.after(() => service.close())
    for (const model of models) {
      const answer = await fetch(new URL(path, service.proxyUrl), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-sim-exchange': model },
        body: JSON.stringify({ model, stream: true, ...body, sim: { ...quick, gzip } }),
        signal: AbortSignal.timeout(10_000),
      })
      await answer.arrayBuffer()
      while (!logged.has(model)) await new Promise(setImmediate)
      assert.deepEqual(byLog(logged.get(model)), byTruth(simulator.truth(model)!))
    }
  })
}
