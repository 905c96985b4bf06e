import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commands } from '../../src/cli/commands.ts'
import { parse } from '../../src/cli/parse.ts'
import { configFrom } from '../../src/config/load.ts'
import { readSource } from '../helpers/repository.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const unit = readSource('deploy/systemd/streamgauge@.service')
const settingOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''
const portsIn = (text: string, digits: string): string[] =>
  [...new Set([...text.matchAll(new RegExp(`\\b${digits}[12]\\b`, 'g'))].map(([port]) => port))].sort()

test('the unit starts serve, on the ports that nginx, HAProxy and Prometheus are told', async () => {
  const [env, program, name, ...words] = settingOf('ExecStart').replaceAll('%i', '1').split(' ')
  assert.deepEqual([env, program, name], ['/usr/bin/env', 'streamgauge', 'serve'])
  const serve = commands.find((command) => command.name === name)
  assert.ok(serve)
  const parsed = parse(words, await serve.load())
  assert.ok(!('faults' in parsed), JSON.stringify(parsed))
  assert.deepEqual([parsed.text['port'], parsed.text['admin-port']], ['8481', '9481'])
  for (const file of ['deploy/nginx/streamgauge.conf', 'deploy/haproxy/haproxy.cfg', 'docs/scaling.md'])
    assert.deepEqual(portsIn(readSource(file), '848'), ['8481', '8482'], file)
  for (const file of ['deploy/haproxy/haproxy.cfg', 'docs/scaling.md'])
    assert.deepEqual(portsIn(readSource(file), '948'), ['9481', '9482'], file)
})

test('a restart of the unit is over when the new process is ready, not when it runs', () => {
  assert.match(
    settingOf('ExecStartPost').replaceAll('%i', '1'),
    /^\/bin\/sh -c 'until curl .*http:\/\/127\.0\.0\.1:9481\/readyz; do sleep 0\.2; done; sleep 3'$/,
  )
})

test('the unit waits longer than streams may take to finish', () => {
  const seconds = Number(/^(\d+)min$/.exec(settingOf('TimeoutStopSec'))?.[1]) * 60
  assert.ok(seconds * 1000 > configFrom({ gateways: [{ name: 'one', url: 'http://127.0.0.1:9/v1' }] }).proxy.drain)
})

test('systemd finds nothing wrong with the unit', (t) => {
  // No other test needs systemd, and hardly any container has it.
  if (spawnSync('systemd-analyze', ['--version'], { stdio: 'ignore' }).status !== 0) {
    t.skip('systemd-analyze is not installed')
    return
  }
  const folder = temporaryFolder(t)
  const template = join(folder, 'streamgauge@.service')
  writeFileSync(template, unit)
  const instance = join(folder, 'streamgauge@1.service')
  copyFileSync(template, instance)
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', instance], {
    encoding: 'utf8',
  })
  assert.deepEqual([status, stdout + stderr], [0, ''])
})
