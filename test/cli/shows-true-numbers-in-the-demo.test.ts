import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { run } from '../../src/cli/run.ts'
import { models } from '../../src/simulator/models.ts'
import { MemoryIo } from '../helpers/memory-io.ts'
import { watch } from '../helpers/viewer.ts'

/** Between two looks at what must come. */
const moment = () => new Promise((resolve) => setTimeout(resolve, 20))

test('demo --once shows every model beside the truth, with every exchange, figure and outcome on both sides', async () => {
  const io = new MemoryIo()
  const code = await run(['demo', '--once'], io)
  assert.match(io.stdout, /^live page http/)
  for (const { name } of models) assert.ok(io.stdout.includes(`\n${name} `), name)
  // How late marks are is the affair of the machine, which runs other tests at the same time; all else must hold.
  const faults = io.stderr.split('\n').filter((line) => line !== '')
  const late = /^disagree: sim\/\S+: (TTFT|answer|inter-chunk|stall|TPOT|tok\/s|char\/s).*: the proxy says [\d.]+, /
  assert.deepEqual(
    faults.filter((line) => !late.test(line)),
    [],
  )
  assert.equal(code, faults.length === 0 ? 0 : 1)
  assert.equal(io.listening, 0)
})

test('demo prints its addresses first, has traffic, and goes when it is told to', { timeout: 30_000 }, async () => {
  const io = new MemoryIo()
  const code = run(['demo'], io)
  while (!io.stdout.includes('traffic')) await moment()
  const [, admin] = /^live page (\S+)$/m.exec(io.stdout)!
  assert.ok(io.stdout.indexOf('live page') < io.stdout.indexOf('base_url'))
  let metrics = ''
  while (!/^streamgauge_requests_total\{.*app="editor".* [1-9]/m.test(metrics)) {
    metrics = await (await fetch(`${admin}metrics`)).text()
    await moment()
  }
  io.signal('SIGINT')
  assert.equal(await code, 0)
  await assert.rejects(fetch(`${admin}healthz`))
  assert.equal(io.listening, 0)
})

test('the demo has something to see of every app before one has had time to wonder', { timeout: 30_000 }, async (t) => {
  const io = new MemoryIo()
  const code = run(['demo'], io)
  while (!io.stdout.includes('traffic')) await moment()
  const [, admin] = /^live page (\S+)$/m.exec(io.stdout)!
  const viewer = await watch(t, admin as string)
  const apps = new Set<string>()
  let [most, ended, count] = [0, 0, 0]
  while (apps.size < 4 || most < 3 || ended < 15) {
    await viewer.has(++count)
    const snapshot = viewer.snapshots[count - 1]
    most = Math.max(most, snapshot?.runningTotal ?? 0)
    ended += snapshot?.exchanges.length ?? 0
    for (const { app } of snapshot?.exchanges ?? []) apps.add(app)
  }
  // Snapshots count the seconds: four make one.
  assert.ok(count <= 20, `it took ${count} snapshots`)
  io.signal('SIGINT')
  assert.equal(await code, 0)
})

test('demo takes other ports where the usual ones are taken, and says so', { timeout: 30_000 }, async (t) => {
  const squatter = createServer()
  // Whoever has the port already serves the same purpose.
  await new Promise<void>((resolve) => {
    squatter.once('error', () => resolve())
    squatter.listen(8484, '127.0.0.1', resolve)
  })
  t.after(() => squatter.close())
  const io = new MemoryIo()
  const code = run(['demo'], io)
  while (!io.stdout.includes('traffic')) await moment()
  assert.match(io.stdout, /note {6}port 8484 is in use: the proxy has another one/)
  assert.doesNotMatch(io.stdout, /base_url {2}http:\/\/127\.0\.0\.1:8484/)
  io.signal('SIGTERM')
  assert.equal(await code, 0)
})

test('demo --against sends its traffic to a proxy that runs already', { timeout: 30_000 }, async (t) => {
  const paths = new Set<string>()
  const proxy = createServer((request, response) => {
    paths.add(String(request.url))
    request.resume().on('end', () => response.end('{}'))
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.after(() => proxy.close())
  const io = new MemoryIo()
  const code = run(['demo', '--against', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/v1`], io)
  while (!paths.has('/@editor/east/v1/completions') || !paths.has('/@agent/west/v1/responses')) {
    await moment()
  }
  io.signal('SIGTERM')
  assert.equal(await code, 0)
  assert.equal(await run(['demo', '--against', 'nowhere'], new MemoryIo()), 2)
  assert.equal(await run(['demo', '--against', 'http://127.0.0.1:1', '--once'], new MemoryIo()), 2)
})
