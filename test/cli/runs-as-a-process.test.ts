import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { repository } from '../helpers/repository.ts'

const main = `${repository}dist/src/main.js`
const anywhere = ['--gateway', 'http://127.0.0.1:9/v1', '--port', '0', '--admin-port', '0']
// A process takes a while to start where others are starting too.
const guard = { timeout: 30_000 }

function start(t: TestContext, words: string[]): ChildProcess {
  const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  return child
}

/** Lines of the log from the start, until `listening`. */
async function listening(child: ChildProcess): Promise<{ proxy_url: string; admin_url: string }> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const entry = JSON.parse(line)
    if (entry.msg === 'listening') return entry
  }
  throw new Error('ended before it listened')
}

test('serve listens, answers, and ends with 0 on SIGTERM', guard, async (t) => {
  const child = start(t, ['serve', ...anywhere])
  const { proxy_url, admin_url } = await listening(child)
  const health = await fetch(new URL('/healthz', admin_url))
  assert.equal(health.status, 200)
  const unreachable = await fetch(`${proxy_url}/v1/models`)
  assert.equal(unreachable.status, 502)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('serve ends with 0 on SIGINT too', guard, async (t) => {
  const child = start(t, ['serve', ...anywhere])
  await listening(child)
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
    const failed = promisify(execFile)(process.execPath, [
      main,
      'serve',
      '--gateway',
      'http://127.0.0.1:9/v1',
      ...words,
    ])
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
    const child = start(t, words)
    child.stdout?.destroy()
    let said = ''
    child.stderr?.on('data', (chunk) => {
      said += chunk
    })
    assert.deepEqual(await once(child, 'close'), [0, null])
    assert.equal(said, '')
  }
})

test('a reader of the log that leaves does not end the proxy', guard, async (t) => {
  const child = start(t, ['serve', ...anywhere])
  const { proxy_url, admin_url } = await listening(child)
  child.stdout?.destroy()
  for (let request = 0; request < 3; request++) assert.equal((await fetch(`${proxy_url}/v1/models`)).status, 502)
  assert.equal((await fetch(new URL('/healthz', admin_url))).status, 200)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('a full disk behind the log does not end the proxy', { ...guard, skip: !existsSync('/dev/full') }, async (t) => {
  const full = openSync('/dev/full', 'w')
  t.after(() => closeSync(full))
  const port = await freePort()
  const words = ['serve', '--gateway', 'http://127.0.0.1:9/v1', '--port', '0', '--admin-port', String(port)]
  const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', full, 'ignore'] })
  t.after(() => child.kill('SIGKILL'))
  for (;;) {
    const health = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined)
    if (health?.status === 200) break
    assert.equal(child.exitCode, null)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('a log that nobody reads does not keep a stopped proxy alive', guard, async (t) => {
  const child = start(t, ['serve', ...anywhere])
  const { proxy_url } = await listening(child)
  child.stdout?.pause()
  // More than a pipe holds (64 KiB).
  for (let round = 0; round < 10; round++) {
    await Promise.all(Array.from({ length: 20 }, async () => (await fetch(`${proxy_url}/v1/models`)).text()))
  }
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

test('an egress proxy that cannot be used is told by the name of its variable, not by its value', guard, async () => {
  for (const value of ['socks5://user:CANARY@127.0.0.1:1', 'http://user:CANARY@:x']) {
    const env = { ...process.env, http_proxy: value, NO_PROXY: '', no_proxy: '' }
    const failed = promisify(execFile)(process.execPath, [main, 'serve', '--gateway', 'http://gateway.test/v1'], {
      env,
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
