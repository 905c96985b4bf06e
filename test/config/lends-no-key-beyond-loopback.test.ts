import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback } from '../../src/config/cross-checks.ts'
import { problemsOf } from '../helpers/configuration.ts'

const env = { KEY: 'sk-1' }
const withKey = 'gateways: [{ name: a, url: https://x.test, apiKeyEnv: KEY }]\n'
const withHeader = 'gateways: [{ name: a, url: https://x.test, headers: { authorization: "Bearer ${KEY}" } }]\n'

for (const host of ['0.0.0.0', '::', '192.0.2.1', 'proxy.internal']) {
  test(`a gateway's key is not lent to all who reach ${host}`, (t) => {
    const proxy = `proxy: { host: "${host}" }\n`
    assert.match(
      problemsOf(t, withKey + proxy, { env }).join(),
      /^gateways\[0\]\.apiKeyEnv: would lend the gateway's key/,
    )
    assert.match(
      problemsOf(t, withHeader + proxy, { env }).join(),
      /^gateways\[0\]\.headers\.authorization: would lend/,
    )
    assert.match(problemsOf(t, withKey, { env, flags: { host } }).join(), /would lend/)
    assert.match(problemsOf(t, withKey, { env: { ...env, STREAMGAUGE_HOST: host } }).join(), /would lend/)
  })

  test(`keys of the clients' own make it right on ${host}`, (t) => {
    const proxy = `proxy: { host: "${host}", clientKeys: ["${'0'.repeat(64)}"] }\n`
    assert.deepEqual(problemsOf(t, withKey + proxy, { env }), [])
    assert.deepEqual(problemsOf(t, withHeader + proxy, { env }), [])
  })
}

for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost', '::ffff:127.0.0.1']) {
  test(`${host} is loopback`, (t) => {
    assert.equal(isLoopback(host), true)
    assert.deepEqual(problemsOf(t, `${withKey}proxy: { host: "${host}" }\n`, { env }), [])
  })
}

test('names that only look like loopback are not', () => {
  for (const host of ['127.0.0.1.example.test', 'localhost.example.test', '::2', '0.0.0.0', '127.evil']) {
    assert.equal(isLoopback(host), false)
  }
})

test('a header that is no credential is no key', (t) => {
  const yaml = 'gateways: [{ name: a, url: https://x.test, headers: { x-title: team } }]\nproxy: { host: 0.0.0.0 }\n'
  assert.deepEqual(problemsOf(t, yaml), [])
})
