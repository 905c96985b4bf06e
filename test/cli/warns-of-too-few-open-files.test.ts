import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLines } from '../../src/cli/start-lines.ts'
import { configFrom } from '../../src/config/load.ts'

const service = { proxyUrl: 'http://127.0.0.1:1', adminUrl: 'http://127.0.0.1:2' }

test('a limit of open files that cannot carry maxStreams is warned of, with both numbers', () => {
  const config = configFrom({
    gateways: [{ name: 'main', url: 'https://gateway.test/v1' }],
    proxy: { maxStreams: 500 },
  })
  const warnings = (openFiles: number | undefined) =>
    [...startLines(config, service, {}, 2, openFiles)].filter(({ level }) => level === 'warn')
  assert.deepEqual(
    warnings(1000).map(({ fields }) => fields),
    [{ allowed: 1000, needed: 1064 }],
  )
  assert.match(warnings(1000)[0]?.message ?? '', /ulimit -n.*proxy\.maxStreams/)
  assert.deepEqual(warnings(1064), [])
})
