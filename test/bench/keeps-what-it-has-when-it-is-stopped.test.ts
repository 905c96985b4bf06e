import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readRun } from '../../src/bench/read-run.ts'
import { Progress } from '../../src/cli/bench-progress.ts'
import { runCommand } from '../helpers/bench-command.ts'
import { MemoryIo } from '../helpers/memory-io.ts'
import { simulatedGateway } from '../helpers/simulated-gateway.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

test('Ctrl-C half-way keeps and prints what was measured; the gateway is left at once', async (t) => {
  const simulator = await simulatedGateway(t)
  const file = join(temporaryFolder(t), 'run.json')
  const script = JSON.stringify({ ttftMs: 20, tokens: 30, tokensPerSecond: 600 })
  let poll: NodeJS.Timeout | undefined
  const { code, io } = await runCommand(
    [
      'bench',
      '--base-url',
      simulator.url,
      '--model',
      'sim/fast',
      '--runs',
      '1000',
      '--prompt-mode',
      'uncached',
      '--header',
      `x-sim-script: ${script}`,
      '--json',
      file,
    ],
    {
      during: (surroundings) => {
        poll = setInterval(() => {
          if (simulator.truths().filter(({ state }) => state === 'completed').length < 5) return
          clearInterval(poll)
          surroundings.signal('SIGINT')
        }, 5)
      },
    },
  )
  clearInterval(poll)
  assert.equal(code, 1)
  const run = readRun(readFileSync(file, 'utf8'))
  assert.ok(typeof run !== 'string')
  assert.equal(run.interrupted, true)
  const whole = run.exchanges.filter(({ left }) => left !== 'interrupted')
  assert.ok(whole.length >= 3 && whole.every(({ outcome }) => outcome === 'ok'))
  assert.ok(run.exchanges.length - whole.length <= 1)
  assert.match(io.stdout, /^function, uncached, 1 at once$/m)
  assert.match(io.stdout, /stopped before its end/)
  assert.equal(io.listening, 0)
})

test('what is written can be read again, and nothing else can', () => {
  assert.match(String(readRun('{')), /is not JSON/)
  assert.match(String(readRun('{}')), /is no run of a bench/)
  assert.match(String(readRun('null')), /is no run of a bench/)
  assert.match(String(readRun('{"program":"streamgauge bench","exchanges":[],"format":2}')), /has the format 2/)
})

test('a bar with the remaining time on a terminal, nothing where a program reads', () => {
  const shown = (interactive: boolean): string => {
    const io = Object.assign(new MemoryIo(), { interactive })
    let now = 0
    const progress = new Progress(io, () => now)
    progress.show(0, 40)
    now = 30_000
    progress.show(10, 40)
    progress.clear()
    return io.stderr
  }
  assert.equal(shown(false), '')
  assert.match(shown(true), /\[#######-{21}\] 10\/40 {2}1 min 30 s left/)
  assert.ok(shown(true).endsWith('\r\x1b[K'))
})

test('the JSON alone on standard output, for a pipe', async (t) => {
  const { url } = await simulatedGateway(t)
  const { code, io } = await runCommand([
    'bench',
    '--base-url',
    url,
    '--model',
    'sim/fast',
    '--runs',
    '2',
    '--max-tokens',
    '5',
    '--prompt-mode',
    'uncached',
    '--json',
    '-',
  ])
  assert.equal(code, 0)
  const run = readRun(io.stdout)
  assert.ok(typeof run !== 'string')
  assert.equal(run.exchanges.length, 2)
  assert.equal(io.stderr, '')
  const [first] = run.exchanges
  assert.deepEqual(Object.keys(first?.marks ?? {}).toSorted(), [
    'bodyReceived',
    'dispatched',
    'ended',
    'firstAnswer',
    'firstByte',
    'firstEvent',
    'firstReasoning',
    'firstToken',
    'firstTokenForwarded',
    'headers',
    'lastToken',
    'received',
    'sent',
  ])
})
