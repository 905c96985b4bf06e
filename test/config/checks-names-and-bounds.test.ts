import assert from 'node:assert/strict'
import { test } from 'node:test'
import { histogramNames } from '../../src/config/histogram-names.ts'
import { figures } from '../../src/measurement/figures.ts'
import { configOf, oneGateway, problemsOf } from '../helpers/configuration.ts'

test('every figure with a histogram, and no other, can be given bounds', () => {
  const beyondFigures = [
    'time_to_first_token_by_cache_seconds',
    'output_tokens_per_second_by_concurrency',
    'event_loop_stall_seconds',
  ]
  const ofFigures = figures.filter(({ buckets }) => buckets !== undefined).map(({ name }) => name)
  assert.deepEqual([...histogramNames].sort(), [...ofFigures, ...beyondFigures].sort())
})

test('bounds are kept as given', (t) => {
  const config = configOf(t, `${oneGateway}metrics: { buckets: { time_to_first_token_seconds: [0.1, 1, 10] } }`)
  assert.deepEqual(config.metrics.buckets, { time_to_first_token_seconds: [0.1, 1, 10] })
})

for (const bounds of [
  '[]',
  '[1, 1]',
  '[2, 1]',
  '[0, 1]',
  '[-1]',
  '[.inf]',
  '[.nan]',
  '["1"]',
  '1',
  `[${Array.from({ length: 201 }, (_, i) => i + 1)}]`,
]) {
  test(`the bounds ${bounds.slice(0, 20)} are refused`, (t) => {
    const found = problemsOf(t, `${oneGateway}metrics: { buckets: { time_to_first_token_seconds: ${bounds} } }`)
    assert.equal(found.length, 1)
    assert.match(found[0] ?? '', /^metrics\.buckets\.time_to_first_token_seconds/)
  })
}

for (const host of ['127.0.0.1', '::1', '::', '0.0.0.0', 'localhost', 'proxy.internal', 'my_host']) {
  test(`${host} can be listened on`, (t) => {
    assert.equal(
      configOf(t, `${oneGateway}admin: { host: "${host}", token: "\${T}" }`, { env: { T: 't' } }).admin.host,
      host,
    )
  })
}

for (const host of ['', '127.0.0.1:80', 'http://x', '256.0.0.1', '1.2.3', '[::1]', 'a b', '-a', '*']) {
  test(`${JSON.stringify(host)} cannot be listened on`, (t) => {
    const found = problemsOf(t, `${oneGateway}proxy: { host: ${JSON.stringify(host)} }`)
    assert.equal(found.length, 1)
    assert.match(found[0] ?? '', /^proxy\.host: got .*; expected an IP address or a host name/)
  })
}

test('allowed hosts are names without scheme and port, in lower case once read', (t) => {
  const config = configOf(t, `${oneGateway}proxy: { allowedHosts: [Gauge.Internal, 192.0.2.1, "2001:db8::1"] }`)
  assert.deepEqual(config.proxy.allowedHosts, ['gauge.internal', '192.0.2.1', '2001:db8::1'])
  for (const host of ['http://x.test', 'x.test:80', '*', '', '*.x.test', 'x.test/v1', ':', '...']) {
    const found = problemsOf(t, `${oneGateway}proxy: { allowedHosts: [${JSON.stringify(host)}] }`)
    assert.equal(found.length, 1, host)
  }
})

test('hashes of client keys are in lower case once read', (t) => {
  const config = configOf(t, `${oneGateway}proxy: { clientKeys: ["${'AB'.repeat(32)}"] }`)
  assert.deepEqual(config.proxy.clientKeys, ['ab'.repeat(32)])
})
