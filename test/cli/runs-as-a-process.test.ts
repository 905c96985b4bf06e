import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { freePort } from '../../bench/free-port.ts'
import { listening, type Program, startProgram, until } from '../helpers/child-service.ts'
import { repository } from '../helpers/repository.ts'

const main = `${repository}dist/src/main.js`
const anywhere = ['--gateway', 'http://127.0.0.1:9/v1', '--port', '0', '--admin-port', '0']
// A process takes a while to start where others are starting too.
const guard = { timeout: 30_000 }

function start(t: TestContext, words: string[], options = {}): Program {
  return startProgram(t, process.execPath, [main, ...words], options)
}

/** Where the connection breaks, what became of the process is the reason. */
async function ask(program: Program, url: string | URL): Promise<number> {
  try {
    const answer = await fetch(url)
    await answer.arrayBuffer()
    return answer.status
  } catch (error) {
    const { exitCode, signalCode } = program.child
    throw new Error(`no answer; exit code ${exitCode}, signal ${signalCode}, said: ${program.said}`, { cause: error })
  }
}

test('serve listens, answers, and ends with 0 on SIGTERM', guard, async (t) => {
  const serve = start(t, ['serve', ...anywhere])
  const { child } = serve
  const { proxy_url, admin_url } = await listening(serve)
  assert.equal(await ask(serve, new URL('/healthz', admin_url)), 200)
  assert.equal(await ask(serve, `${proxy_url}/v1/models`), 502)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('serve ends with 0 on SIGINT too', guard, async (t) => {
  const serve = start(t, ['serve', ...anywhere])
  const { child } = serve
  await listening(serve)
  child.kill('SIGINT')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('a port in use is told on standard error, and the exit code is 1', guard, async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  t.after(() => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  for (const words of [
    ['--port', String(port), '--admin-port', '0'],
    ['--port', '0', '--admin-port', String(port)],
  ]) {
    const failed = promisify(execFile)(
      process.execPath,
      [main, 'serve', '--gateway', 'http://127.0.0.1:9/v1', ...words],
      // Where it is no failure, it would run for ever.
      { signal: t.signal },
    )
    await assert.rejects(failed, ({ code, stderr, stdout }) => {
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(
        stderr,
        new RegExp(
          `^streamgauge: 127\\.0\\.0\\.1 port ${port} is in use by another program; .* ${words[0] === '--port' && words[1] !== '0' ? '--port' : '--admin-port'}\n$`,
        ),
      )
      return true
    })
  }
})

test('a reader that leaves is no crash', guard, async (t) => {
  for (const words of [['--help'], ['check-config', `${repository}config/streamgauge.yaml`]]) {
    const program = start(t, words)
    program.child.stdout?.destroy()
    assert.deepEqual(await once(program.child, 'close'), [0, null])
    assert.equal(program.said, '')
  }
})

test('a reader of the log that leaves does not end the proxy', guard, async (t) => {
  const serve = start(t, ['serve', ...anywhere])
  const { child } = serve
  const { proxy_url, admin_url } = await listening(serve)
  child.stdout?.destroy()
  for (let request = 0; request < 3; request++) assert.equal(await ask(serve, `${proxy_url}/v1/models`), 502)
  assert.equal(await ask(serve, new URL('/healthz', admin_url)), 200)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('a full disk behind the log does not end the proxy', { ...guard, skip: !existsSync('/dev/full') }, async (t) => {
  const full = openSync('/dev/full', 'w')
  t.after(() => closeSync(full))
  const port = await freePort()
  const words = ['serve', '--gateway', 'http://127.0.0.1:9/v1', '--port', '0', '--admin-port', String(port)]
  const serve = start(t, words, { stdio: ['ignore', full, 'pipe'] })
  const { child } = serve
  const health = await until(
    async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).status,
    () => assert.deepEqual([child.exitCode, child.signalCode], [null, null], serve.said),
  )
  assert.equal(health, 200)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('a log that nobody reads does not keep a stopped proxy alive', guard, async (t) => {
  const serve = start(t, ['serve', ...anywhere])
  const { child } = serve
  const { proxy_url } = await listening(serve)
  child.stdout?.pause()
  // More than a pipe holds (64 KiB).
  for (let round = 0; round < 10; round++)
    await Promise.all(Array.from({ length: 20 }, () => ask(serve, `${proxy_url}/v1/models`)))
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('an egress proxy that cannot be used is told by the name of its variable, not by its value', guard, async (t) => {
  for (const value of ['socks5://user:CANARY@127.0.0.1:1', 'http://user:CANARY@:x']) {
    const env = { ...process.env, http_proxy: value, NO_PROXY: '', no_proxy: '' }
    const failed = promisify(execFile)(process.execPath, [main, 'serve', '--gateway', 'http://gateway.test/v1'], {
      env,
      signal: t.signal,
    })
    await assert.rejects(failed, ({ code, stderr }) => {
      assert.equal(code, 1)
      assert.match(
        stderr,
        /^streamgauge: HTTP_PROXY, HTTPS_PROXY or ALL_PROXY: the value that holds for http:\/\/gateway\.test is not usable/,
      )
      assert.doesNotMatch(stderr, /CANARY/)
      return true
    })
  }
})
