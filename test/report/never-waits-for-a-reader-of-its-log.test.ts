import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { openLineWriter } from '../../src/report/standard-output.ts'

const source = new URL('../../src/report/standard-output.js', import.meta.url).href

/** Writes 20 MB to standard output, tells on standard error how much was dropped and what the timer did meanwhile, closes and exits by itself. */
const script = `
import { openLineWriter } from ${JSON.stringify(source)}
let dropped = 0, turns = 0
const writer = openLineWriter(() => dropped++)
const timer = setInterval(() => turns++, 1)
const line = 'x'.repeat(999) + '\\n'
for (let block = 0; block < 200; block++) {
  for (let index = 0; index < 100; index++) writer.write(line)
  await new Promise((resolve) => setTimeout(resolve, 1))
}
clearInterval(timer)
await writer.close(50)
// What is still queued would keep the process: a service that has closed everything exits by itself.
process.stderr.write(JSON.stringify({ dropped, turns }) + '\\n', () => process.exit(0))
`

function run(t: { after(fn: () => void): void }) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  let told = ''
  child.stderr.on('data', (bytes: Buffer) => {
    told += bytes
  })
  const ended = once(child, 'close').then(([code]) => ({ code, told }))
  return { child, ended }
}

test('a reader that sleeps stops nothing: lines beyond the bound are dropped and counted, and the process can end', async (t) => {
  const { child, ended } = run(t)
  await once(child, 'exit')
  // Only now is anything read, so that the pipe can be closed.
  child.stdout.resume()
  const { code, told } = await ended
  assert.equal(code, 0, told)
  const { dropped, turns } = JSON.parse(told)
  assert.ok(dropped > 5000, `${dropped} dropped`)
  assert.ok(turns > 50)
})

test('a reader that goes away ends nothing', async (t) => {
  const { child, ended } = run(t)
  child.stdout.destroy()
  const { code, told } = await ended
  assert.equal(code, 0, told)
  assert.ok(JSON.parse(told).dropped > 10_000)
})

test('a reader that reads gets every line, also the last ones before the end', async (t) => {
  const { child, ended } = run(t)
  let bytes = 0
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  const { code, told } = await ended
  assert.equal(code, 0, told)
  assert.equal(bytes + JSON.parse(told).dropped * 1000, 20_000_000)
})

test('closing waits for what is written, and not for ever', async () => {
  const written: string[] = []
  let release: (() => void) | undefined
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      written.push(text)
      release = done
    },
  })
  const writer = openLineWriter(() => {}, stream)
  writer.write('one\n')
  await writer.close(1)
  assert.deepEqual(written, ['one\n'])
  stream.emit('error', new Error('late'))
  release?.()
})
