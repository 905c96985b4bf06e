import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../../bench/free-port.ts'
import { listening, startProgram, until } from '../helpers/child-service.ts'
import { buildByHand, onThisMachine, type Stage } from '../helpers/dockerfile.ts'
import { readSource } from '../helpers/repository.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

// It installs and compiles: on a busy machine that takes its time.
test('the steps of the Dockerfile make a folder that serves, is healthy, and stops on SIGTERM', {
  timeout: 110_000,
}, async (t) => {
  const stage = buildByHand(temporaryFolder(t))

  await t.test('it holds what runs, and nothing else', () => holdsWhatRuns(stage))
  await t.test('it does not run as root', () => assert.match(stage.user, /^[1-9]\d*:[1-9]\d*$/))

  await t.test("the image's very command serves, and its health check tells", async (t) => {
    const adminPort = String(await freePort())
    const env = { ...process.env, ...stage.env, STREAMGAUGE_PORT: '0', STREAMGAUGE_ADMIN_PORT: adminPort }
    const health = (): number | null => {
      const [program, words] = onThisMachine(stage, stage.healthcheck)
      return spawnSync(program, words, { env }).status
    }
    assert.equal(health(), 1)
    const [program, words] = onThisMachine(stage, [...stage.entrypoint, ...stage.command])
    const started = startProgram(t, program, [...words, '--gateway', 'http://127.0.0.1:9/v1'], { env })
    const { proxy_url, admin_url } = await listening(started)
    assert.match(proxy_url, /^http:\/\/0\.0\.0\.0:\d+$/)
    assert.match(admin_url, /^http:\/\/0\.0\.0\.0:\d+$/)
    await until(async () => (health() === 0 ? true : undefined))
    const answer = await fetch(`http://127.0.0.1:${new URL(proxy_url).port}/v1/models`)
    assert.equal(answer.status, 502)
    await answer.text()
    started.child.kill('SIGTERM')
    assert.deepEqual(await once(started.child, 'exit'), [0, null])
    assert.equal(health(), 1)
  })

  await t.test('other commands take the place of serve', () => {
    for (const command of [['--version'], ['simulate', '--help'], ['check-config', '--help']]) {
      const [program, words] = onThisMachine(stage, [...stage.entrypoint, ...command])
      assert.equal(spawnSync(program, words).status, 0, command.join(' '))
    }
  })
})

function holdsWhatRuns(stage: Stage): void {
  const app = join(stage.root, 'app')
  assert.deepEqual(readdirSync(app).sort(), ['LICENSE', 'dist', 'node_modules', 'package.json'])
  assert.deepEqual(readdirSync(join(app, 'dist')), ['src'])
  const files = readdirSync(join(app, 'dist'), { recursive: true, encoding: 'utf8' })
  assert.deepEqual(
    files.filter((file) => /\.map$|\.test\.js$/.test(file)),
    [],
  )
  const { packages } = JSON.parse(readSource('package-lock.json')) as { packages: Record<string, { dev?: boolean }> }
  for (const [path, { dev }] of Object.entries(packages))
    if (dev === true) assert.equal(existsSync(join(app, path)), false, `${path} is for development`)
  // Another user owns the files: all must be readable to all.
  for (const file of files) assert.equal(statSync(join(app, 'dist', file)).mode & 0o004, 0o004, file)
}
