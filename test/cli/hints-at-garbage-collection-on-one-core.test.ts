import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLines } from '../../src/cli/start-lines.ts'
import { configFrom } from '../../src/config/load.ts'

const config = configFrom({ gateways: [{ name: 'main', url: 'https://gateway.test/v1' }] })
const service = { proxyUrl: 'http://127.0.0.1:1', adminUrl: 'http://127.0.0.1:2' }

test('one core brings the hint, two do not', () => {
  const hints = (cores: number) =>
    [...startLines(config, service, {}, cores)].filter(({ message }) => message.startsWith('one core'))
  assert.match(hints(1)[0]?.message ?? '', /--single-threaded-gc --max-semi-space-size=2/)
  assert.deepEqual(hints(2), [])
})
