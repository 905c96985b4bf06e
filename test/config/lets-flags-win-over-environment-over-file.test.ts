import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../src/config/load.ts'
import { overrides } from '../../src/config/overrides.ts'
import { configOf, oneGateway, problems, problemsOf } from '../helpers/configuration.ts'
import { temporaryFile } from '../helpers/temporary-folder.ts'

const file = `${oneGateway}proxy: { host: 127.0.0.2, port: 1002 }\nadmin: { host: 127.0.0.3, port: 1003 }\nlog: { level: warn }\n`
const env = {
  STREAMGAUGE_HOST: '127.0.0.4',
  STREAMGAUGE_PORT: '1004',
  STREAMGAUGE_ADMIN_HOST: '127.0.0.5',
  STREAMGAUGE_ADMIN_PORT: '1005',
  STREAMGAUGE_LOG_LEVEL: 'error',
}
const flags = { host: '127.0.0.6', port: '1006', 'admin-host': '127.0.0.7', 'admin-port': '1007', 'log-level': 'debug' }

const settings = (config: ReturnType<typeof configOf>) => [
  config.proxy.host,
  config.proxy.port,
  config.admin.host,
  config.admin.port,
  config.log.level,
]

test('the file wins over the defaults', (t) => {
  assert.deepEqual(settings(configOf(t, file)), ['127.0.0.2', 1002, '127.0.0.3', 1003, 'warn'])
})

test('the environment wins over the file', (t) => {
  assert.deepEqual(settings(configOf(t, file, { env })), ['127.0.0.4', 1004, '127.0.0.5', 1005, 'error'])
})

test('flags win over the environment', (t) => {
  assert.deepEqual(settings(configOf(t, file, { env, flags })), ['127.0.0.6', 1006, '127.0.0.7', 1007, 'debug'])
})

test('an empty variable counts as not set', (t) => {
  const empty = Object.fromEntries(overrides.map(({ variable }) => [variable, '']))
  assert.deepEqual(settings(configOf(t, file, { env: empty })), ['127.0.0.2', 1002, '127.0.0.3', 1003, 'warn'])
})

test('a bad value is told by the name of its flag or variable', (t) => {
  const found = problems(t, file, {
    env: { STREAMGAUGE_PORT: 'many', STREAMGAUGE_GATEWAY: 'x' },
    flags: { 'log-level': 'loud' },
  })
  assert.deepEqual(found.map(({ path, line }) => [path, line]).sort(), [
    ['--log-level', undefined],
    ['STREAMGAUGE_GATEWAY', undefined],
    ['STREAMGAUGE_PORT', undefined],
  ])
})

for (const port of ['', ' 80', '80.5', '0x50', '1e3', '-1', '65536', '99999999999999999999']) {
  test(`the port ${JSON.stringify(port)} is no port`, (t) => {
    assert.match(
      problemsOf(t, file, { flags: { port } }).join(),
      /^--port: got .*; expected a whole number from 0 to 65535/,
    )
  })
}

test('the file may be named by the environment, the flag wins', (t) => {
  const one = temporaryFile(t, 'one.yaml', `${oneGateway}proxy: { port: 1 }\n`)
  const two = temporaryFile(t, 'two.yaml', `${oneGateway}proxy: { port: 2 }\n`)
  const port = (loaded: ReturnType<typeof loadConfig>) =>
    'config' in loaded ? loaded.config.proxy.port : loaded.problems
  assert.equal(port(loadConfig({ env: { STREAMGAUGE_CONFIG: one } })), 1)
  assert.equal(port(loadConfig({ env: { STREAMGAUGE_CONFIG: one }, flags: { config: two } })), 2)
})

test('a gateway given by URL is the default one, those of the file stay', (t) => {
  for (const sources of [
    { flags: { gateway: 'http://127.0.0.1:1/v1' } },
    { env: { STREAMGAUGE_GATEWAY: 'http://127.0.0.1:1/v1' } },
    { flags: { gateway: 'http://127.0.0.1:1/v1' }, env: { STREAMGAUGE_GATEWAY: 'http://127.0.0.1:2/v1' } },
  ]) {
    assert.deepEqual(
      configOf(t, file, sources).gateways.map(({ name, url }) => [name, url]),
      [
        ['default', 'http://127.0.0.1:1/v1'],
        ['main', 'https://gateway.test/v1'],
      ],
    )
  }
})

test('it gets none of the keys and headers of another gateway', (t) => {
  const yaml = 'gateways: [{ name: main, url: https://x.test, apiKeyEnv: KEY, headers: { authorization: "${KEY}" } }]'
  const config = configOf(t, yaml, { env: { KEY: 'sk-1' }, flags: { gateway: 'https://other.test/v1' } })
  assert.deepEqual([config.gateways[0]?.headers, config.gateways[0]?.apiKey], [{}, ''])
})

test('a gateway that the file names default keeps its settings and gets the URL', (t) => {
  const yaml = `gateways:
  - { name: other, url: https://other.test }
  - { name: default, timeouts: { idle: 5s } }
`
  const { gateways } = configOf(t, yaml, { flags: { gateway: 'https://x.test/v1' } })
  assert.deepEqual(
    gateways.map(({ name, url, timeouts }) => [name, url, timeouts.idle]),
    [
      ['default', 'https://x.test/v1', 5000],
      ['other', 'https://other.test', 1_800_000],
    ],
  )
})

test('places in the file stay right beside a gateway given by URL', (t) => {
  const yaml =
    'gateways:\n  - { name: a, url: https://a.test }\n  - { name: default, tls: 3 }\n  - { name: api, url: https://b.test }\n'
  const found = problems(t, yaml, { flags: { gateway: 'https://x.test/v1' } })
  assert.deepEqual(
    found.map(({ path, line }) => [path, line]),
    [
      ['gateways[1].tls', 3],
      ['gateways[2].name', 4],
    ],
  )
})
