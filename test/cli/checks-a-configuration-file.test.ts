import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from '../../src/cli/run.ts'
import { oneGateway } from '../helpers/configuration.ts'
import { MemoryIo } from '../helpers/memory-io.ts'
import { repository } from '../helpers/repository.ts'
import { temporaryFile } from '../helpers/temporary-folder.ts'

async function checked(file: string, env: NodeJS.ProcessEnv = {}) {
  const io = new MemoryIo(env)
  const code = await run(['check-config', file], io)
  return { code, out: io.stdout, err: io.stderr }
}

test('the example is well', async () => {
  const { code, out, err } = await checked(`${repository}config/streamgauge.yaml`)
  assert.deepEqual([code, err], [0, ''])
  assert.match(out, /config\/streamgauge\.yaml: no problem found\n$/)
})

test('every problem is told with its path, and the exit code is 1', async (t) => {
  const file = temporaryFile(t, 'x.yaml', `${oneGateway}proxy: { prot: 1 }\nlog: { level: loud }\n`)
  const { code, out, err } = await checked(file)
  assert.deepEqual([code, out], [1, ''])
  assert.deepEqual(err.split('\n'), [
    'proxy.prot: is no known key; did you mean "port"? (line 2, column 10)',
    'log.level: got "loud"; expected trace, debug, info, warn, error, fatal or silent (line 3, column 8)',
    `${file}: 2 problems`,
    '',
  ])
})

test('the summary shows no secret', async (t) => {
  const yaml = `gateways: [{ name: a, url: https://x.test, headers: { authorization: "\${KEY}" }, apiKeyEnv: KEY }]\n`
  const { code, out } = await checked(temporaryFile(t, 'x.yaml', yaml), { KEY: 'CANARY' })
  assert.equal(code, 0)
  assert.doesNotMatch(out, /CANARY/)
  assert.match(out, /"authorization"/)
})

test('a file without gateways is well, with a hint', async (t) => {
  const { code, out } = await checked(temporaryFile(t, 'x.yaml', 'proxy: { port: 1 }\n'))
  assert.equal(code, 0)
  assert.match(out, /It lists no gateway: serve needs --gateway URL or STREAMGAUGE_GATEWAY/)
})

test('the file is judged by itself, whatever STREAMGAUGE_ variables say', async (t) => {
  const file = temporaryFile(t, 'x.yaml', oneGateway)
  const { code, out } = await checked(file, {
    STREAMGAUGE_PORT: 'many',
    STREAMGAUGE_CONFIG: 'nowhere',
    STREAMGAUGE_GATEWAY: 'x',
  })
  assert.equal(code, 0)
  assert.match(out, /"port": 8484/)
})

test('a file that does not exist is one problem', async () => {
  const { code, err } = await checked('nowhere/at-all.yaml')
  assert.equal(code, 1)
  assert.match(
    err,
    /^nowhere\/at-all\.yaml: does not exist; expected the path of a YAML file\nnowhere\/at-all\.yaml: 1 problem\n$/,
  )
})
