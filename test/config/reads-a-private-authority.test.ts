import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../../src/config/load.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const yaml = (ca: string) => `gateways: [{ name: a, url: https://x.test, tls: { ca: ${JSON.stringify(ca)} } }]\n`

test('a relative path starts at the configuration file', (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'ca.pem'), '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n')
  writeFileSync(join(folder, 'streamgauge.yaml'), yaml('ca.pem'))
  const loaded = loadConfig({ file: join(folder, 'streamgauge.yaml'), env: {} })
  assert.ok('config' in loaded)
  assert.equal(loaded.config.gateways[0]?.tls.ca, join(folder, 'ca.pem'))
})

test('a file that is missing or holds no certificate is told at start', (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'ca.pem'), 'hello')
  for (const [ca, complaint] of [
    ['nowhere.pem', /"nowhere\.pem" cannot be read \(ENOENT\); expected a PEM file/],
    ['ca.pem', /"ca\.pem" holds no certificate/],
  ] as const) {
    writeFileSync(join(folder, 'streamgauge.yaml'), yaml(ca))
    const loaded = loadConfig({ file: join(folder, 'streamgauge.yaml'), env: {} })
    assert.ok('problems' in loaded)
    assert.deepEqual(
      loaded.problems.map(({ path }) => path),
      ['gateways[0].tls.ca'],
    )
    assert.match(loaded.problems[0]?.message ?? '', complaint)
  }
})
