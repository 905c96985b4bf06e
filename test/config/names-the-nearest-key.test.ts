import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearest } from '../../src/config/nearest.ts'
import { oneGateway, problemsOf } from '../helpers/configuration.ts'

const slips: readonly (readonly [string, string])[] = [
  ['proxy: { prot: 1 }', 'proxy.prot: is no known key; did you mean "port"?'],
  ['proxy: { max_body_bytes: 1MB }', 'proxy.max_body_bytes: is no known key; did you mean "maxBodyBytes"?'],
  ['admin: { Port: 1 }', 'admin.Port: is no known key; did you mean "port"?'],
  ['metric: {}', 'metric: is no known key; did you mean "metrics"?'],
  [
    'metrics: { buckets: { time_to_first_token: [1] } }',
    'metrics.buckets.time_to_first_token: is no known key; did you mean "time_to_first_token_seconds"?',
  ],
  ['log: { x: 1 }', 'log.x: is no known key; expected one of level, exchanges'],
  ['__proto__: { x: 1 }', '__proto__: is no known key; did you mean "proxy"?'],
  ['log: { constructor: 1 }', 'log.constructor: is no known key; expected one of level, exchanges'],
]

for (const [yaml, problem] of slips) {
  test(`${yaml} is answered with a suggestion or the choices`, (t) => {
    const [found, ...others] = problemsOf(t, oneGateway + yaml)
    assert.equal(found?.replace(/ \(line .*$/, ''), problem)
    assert.deepEqual(others, [])
  })
}

test('a word far from all others has no neighbour', () => {
  assert.equal(nearest('completely-else', ['serve', 'demo']), undefined)
  assert.equal(nearest('', ['serve', 'demo']), undefined)
})

test('swapped letters are one slip', () => {
  assert.equal(nearest('sevre', ['serve', 'demo']), 'serve')
  assert.equal(nearest('dmeo', ['serve', 'demo']), 'demo')
})
