import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from '../../src/cli/run.ts'
import { MemoryIo } from '../helpers/memory-io.ts'

async function firstOutput(io: MemoryIo): Promise<string> {
  while (!io.stdout.includes('base_url')) await new Promise(setImmediate)
  return io.stdout
}

test('simulate prints its base_url first, answers there, and ends when it is stopped', {
  timeout: 10_000,
}, async () => {
  const io = new MemoryIo()
  const code = run(['simulate', '--port', '0', '--seed', '3'], io)
  const [, url] = /^base_url {2}(\S+)$/m.exec(await firstOutput(io))!
  const answer = await fetch(`${url}/models`)
  assert.equal(answer.status, 200)
  await answer.text()
  io.signal('SIGTERM')
  assert.equal(await code, 0)
  await assert.rejects(fetch(`${url}/models`))
})

test('simulate says when its port is taken', { timeout: 10_000 }, async () => {
  const first = new MemoryIo()
  const code = run(['simulate', '--port', '0'], first)
  const [, port] = /:(\d+)\/v1/.exec(await firstOutput(first))!
  const second = new MemoryIo()
  assert.equal(await run(['simulate', '--port', port!], second), 1)
  assert.match(second.stderr, /is in use; choose another with --port/)
  first.signal('SIGTERM')
  await code
})

test('simulate refuses a port and a seed that are none', async () => {
  for (const words of [
    ['--port', '70000'],
    ['--port', 'x'],
    ['--seed', 'x'],
  ]) {
    assert.equal(await run(['simulate', ...words], new MemoryIo()), 2)
  }
})
