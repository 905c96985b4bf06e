import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneGateway, problems, problemsOf } from '../helpers/configuration.ts'

test('no problem hides another', (t) => {
  const found = problems(
    t,
    `
gateways:
  - { name: v1, url: ftp://gateway.test, headres: {}, timeouts: { idle: 30 } }
  - { name: b, headers: { Host: x, authorization: Bearer abc, x-team: "\${MISSING}" }, apiKeyEnv: ALSO_MISSING }
  - { name: b, url: https://gateway.test, tls: { ca: nowhere.pem, insecure: maybe }, models: { m: { input: -1 } } }
proxy: { port: 99999, maxBodyBytes: lots, clientKeys: [plain], maxStreams: 0, drain: 400d }
admin: { port: "9484", token: plain }
labels: []
metrics: { buckets: { time_to_first_token_seconds: [2, 1], no_such_metric: [1] }, slo: { ttft: [0] } }
log: { level: loud, exchanges: 1 }
surprise: 1
`,
  )
  assert.deepEqual(found.map(({ path }) => path).sort(), [
    'admin.port',
    'admin.token',
    'gateways[0].headres',
    'gateways[0].name',
    'gateways[0].timeouts.idle',
    'gateways[0].url',
    'gateways[1].apiKeyEnv',
    'gateways[1].headers.Host',
    'gateways[1].headers.authorization',
    'gateways[1].headers["x-team"]',
    'gateways[1].url',
    'gateways[2].models.m.input',
    'gateways[2].models.m.output',
    'gateways[2].name',
    'gateways[2].tls.ca',
    'gateways[2].tls.insecure',
    'labels',
    'log.exchanges',
    'log.level',
    'metrics.buckets.no_such_metric',
    'metrics.buckets.time_to_first_token_seconds',
    'metrics.slo.ttft[0]',
    'proxy.clientKeys[0]',
    'proxy.drain',
    'proxy.maxBodyBytes',
    'proxy.maxStreams',
    'proxy.port',
    'surprise',
  ])
})

test('each says what is wrong and what was expected', (t) => {
  const yaml = `${oneGateway}proxy: { port: 99999, host: [a], maxStreams: 1.5 }\nlog: { level: loud }\nlabels: 3\n`
  assert.deepEqual(problemsOf(t, yaml), [
    'proxy.host: got a list; expected an IP address or a host name to listen on, such as 127.0.0.1, ::1 or 0.0.0.0 (line 2, column 23)',
    'proxy.port: got 99999; expected a whole number from 0 to 65535 (line 2, column 10)',
    'proxy.maxStreams: got 1.5; expected a whole number from 1 to 1000000 (line 2, column 34)',
    'labels: got 3; expected a mapping with the keys maxModels, maxApps, maxSets, inputSize, models (line 4, column 1)',
    'log.level: got "loud"; expected trace, debug, info, warn, error, fatal or silent (line 3, column 8)',
  ])
})

test('a file that is a list is one problem', (t) => {
  const found = problems(t, '- a\n- b\n', { flags: { gateway: 'https://gateway.test/v1' } })
  assert.equal(found.length, 1)
  assert.match(found[0]?.message ?? '', /^got a list; expected a mapping with the keys gateways, proxy/)
})

test('without any gateway it is told what to do', (t) => {
  for (const yaml of ['', 'gateways: []\n', 'gateways:\n']) {
    const [problem, ...others] = problemsOf(t, yaml)
    assert.match(problem ?? '', /^gateways: there is none; expected one: give --gateway URL, set STREAMGAUGE_GATEWAY/)
    assert.deepEqual(others, [])
  }
})

test('proxy and admin cannot share a port', (t) => {
  for (const ports of ['admin: { port: 8484 }', 'admin: { port: 8484, host: 0.0.0.0 }', 'proxy: { port: 9484 }']) {
    assert.match(problemsOf(t, `${oneGateway}${ports}\n`).join(), /^admin.port: \d+ is the proxy's port too/)
  }
  for (const ports of ['admin: { port: 0 }\nproxy: { port: 0 }', 'admin: { port: 8484, host: 127.0.0.2 }']) {
    assert.deepEqual(problemsOf(t, `${oneGateway}${ports}\n`), [])
  }
})
