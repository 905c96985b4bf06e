import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toLoggable } from '../../src/config/loggable.ts'
import { configOf, problemsOf } from '../helpers/configuration.ts'

const gateway = (headers: string, more = '') =>
  `gateways: [{ name: a, url: https://x.test/v1${more}, headers: ${headers} }]\n`
const hash = 'a'.repeat(64)

for (const header of [
  'Authorization: Bearer CANARY-literal',
  'authorization: CANARY-literal',
  'x-api-key: CANARY-literal',
  'api-key: CANARY-literal',
  'x-goog-api-key: CANARY-literal',
  'cookie: session=CANARY',
  'x-auth-token: CANARY-literal',
  'helicone-auth: CANARY-literal',
  'x-anything: Bearer CANARY-literal',
  'x-anything: sk-CANARY-literal',
  'authorization: "Bearer sk-CANARY-literal ${KEY}"',
]) {
  test(`the header ${header} is refused with a hint, and its value not repeated`, (t) => {
    const found = problemsOf(t, gateway(`{ ${header} }`), { env: { KEY: 'k' } })
    assert.equal(found.length, 1)
    assert.match(found[0] ?? '', /expected it from the environment, such as \$\{MY_KEY\}/)
    assert.doesNotMatch(found.join(), /CANARY/)
  })
}

test('the same headers are taken from the environment', (t) => {
  const config = configOf(t, gateway('{ Authorization: "Bearer ${KEY}", X-Api-Key: "${KEY}", x-title: my team }'), {
    env: { KEY: 'CANARY' },
  })
  assert.deepEqual(config.gateways[0]?.headers, {
    authorization: 'Bearer CANARY',
    'x-api-key': 'CANARY',
    'x-title': 'my team',
  })
})

test('a token in the file is refused, one from the environment taken', (t) => {
  const found = problemsOf(t, `${gateway('{}')}admin: { token: CANARY }\n`)
  assert.match(found.join(), /^admin\.token: holds the token itself; expected it from the environment/)
  assert.doesNotMatch(found.join(), /CANARY/)
  const config = configOf(t, `${gateway('{}')}admin: { token: "\${TOKEN}" }\n`, { env: { TOKEN: 'CANARY' } })
  assert.equal(config.admin.token, 'CANARY')
})

test('a token of several lines is refused without repeating it', (t) => {
  const found = problemsOf(t, `${gateway('{}')}admin: { token: "\${TOKEN}" }\n`, { env: { TOKEN: 'CANARY\n' } })
  assert.equal(found.length, 1)
  assert.doesNotMatch(found.join(), /CANARY/)
})

test('a key where its hash or its variable is asked is refused without repeating it', (t) => {
  const yaml = `gateways: [{ name: a, url: https://x.test, apiKeyEnv: sk-CANARY-1 }]\nproxy: { clientKeys: [sk-CANARY-2, "${hash}"] }\n`
  const found = problemsOf(t, yaml)
  assert.deepEqual(
    found.map((problem) => problem.split(':')[0]),
    ['gateways[0].apiKeyEnv', 'proxy.clientKeys[0]'],
  )
  assert.doesNotMatch(found.join(), /CANARY/)
})

test('a key in the environment must be there and be one word', (t) => {
  const yaml = 'gateways: [{ name: a, url: https://x.test, apiKeyEnv: KEY }]\n'
  assert.match(problemsOf(t, yaml).join(), /names the environment variable KEY, which is not set/)
  assert.match(problemsOf(t, yaml, { env: { KEY: '' } }).join(), /KEY, which is empty/)
  for (const key of ['CANARY\n', 'CANARY 2', 'CANARYé']) {
    const found = problemsOf(t, yaml, { env: { KEY: key } })
    assert.match(found.join(), /holds a space, a line break/)
    assert.doesNotMatch(found.join(), /CANARY/)
  }
  assert.equal(configOf(t, yaml, { env: { KEY: 'sk-1' } }).gateways[0]?.apiKey, 'sk-1')
})

test('the form for logs holds no secret', (t) => {
  const config = configOf(
    t,
    `gateways:
  - name: a
    url: https://x.test/v1?session=CANARY
    headers: { authorization: "Bearer \${KEY}" }
    apiKeyEnv: KEY
proxy: { clientKeys: ["${hash}"], dummyKeys: [CANARY] }
admin: { token: "\${KEY}" }
`,
    { env: { KEY: 'CANARY' } },
  )
  const shown = toLoggable(config)
  assert.doesNotMatch(JSON.stringify(shown), new RegExp(`CANARY|${hash}`))
  assert.deepEqual(shown.gateways[0]?.headers, ['authorization'])
  assert.equal(shown.gateways[0]?.url, 'https://x.test/v1')
  assert.equal(shown.gateways[0]?.apiKeyEnv, 'KEY')
  assert.deepEqual([shown.proxy.clientKeys, shown.proxy.keepAlive, shown.proxy.maxBodyBytes], [1, '75s', '64MiB'])
  assert.equal(shown.admin.token, 'set')
})
