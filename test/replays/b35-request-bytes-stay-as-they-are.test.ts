import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sumIn } from '../helpers/exposition.ts'
import { assertExactRequest, assertOutcomes, chatRequest, ordinaryStream, startReplay } from '../helpers/replay.ts'

const cases: Readonly<Record<string, string | Buffer>> = {
  'keys out of order': '{"stream":true,"messages":[],"model":"m"}',
  numbers: '{"model":"m","a":1.0,"b":1e3,"c":12345678901234567890,"d":-0,"e":1E-7,"f":0.1000}',
  escapes: '{"model":"m","a":"\\u003c\\/\\u00e9","b":"é","\\u0063":"\\ud83d\\ude00"}',
  'a lone surrogate': '{"model":"m","a":"\\ud83d"}',
  'duplicate keys': '{"model":"m","a":1,"a":2,"model":"m"}',
  'a trailing newline': '{"model":"m"}\n',
  'white space': ' \t\r\n{ "model" :\t"m" , "a" : [ ] } \r\n ',
  'unknown fields': '{"model":"m","x_vendor":{"deep":[{"deeper":null}]},"":0}',
  'tool schemas':
    '{"model":"m","tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"model":{"type":"string"},"stream":{"type":"boolean"}}}}}]}',
  'include_usage: false': '{"model":"m","stream":true,"stream_options":{"include_usage":false}}',
  'include_usage: true': '{"model":"m","stream":true,"stream_options":{"include_usage":true}}',
  'no stream_options': '{"model":"m","stream":true}',
  'invalid UTF-8': Buffer.from('{"model":"m","a":"\xff\xfe"}', 'latin1'),
  'a second value after the first': '{"model":"m"}{"model":"other"}',
}

for (const [name, body] of Object.entries(cases)) {
  test(`B35 ${name}: every byte reaches the gateway as it is`, async (t) => {
    const replay = await startReplay(t, ordinaryStream)
    const bytes = chatRequest([], body)
    assert.equal((await (await replay.ask(bytes)).over()).status, 200)
    assertExactRequest(await replay.gateway.request(0), { bytes, body })
    const [record] = await assertOutcomes(replay.proxy, 'ok')
    assert.equal(record?.identity.model, 'm')
  })
}

test('B35 cache hints are counted at every depth, and only there', async (t) => {
  const mark = { type: 'ephemeral' }
  const body = JSON.stringify({
    model: 'm',
    stream: true,
    cache_control: mark,
    system: [{ type: 'text', text: 'cache_control', cache_control: mark }],
    tools: [
      { name: 'f', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { name: 'g', cache_control: null },
    ],
    messages: [{ role: 'user', content: [{ type: 'text', text: '{"cache_control":{}}', cache_control: mark }] }],
  })
  const replay = await startReplay(t, ordinaryStream)
  const bytes = chatRequest([], body)
  await (await replay.ask(bytes)).over()
  assertExactRequest(await replay.gateway.request(0), { bytes, body })
  const [record] = await assertOutcomes(replay.proxy, 'ok')
  assert.equal(record?.identity.cacheHints.cacheControl, 4)
  const metrics = await replay.proxy.metrics()
  assert.ok(sumIn(metrics, 'streamgauge_cache_hints_total', { hint: 'cache_control' }) > 0)
})
