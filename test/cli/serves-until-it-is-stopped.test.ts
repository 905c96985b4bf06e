import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { CommandEntry } from '../../src/cli/command.ts'
import { run } from '../../src/cli/run.ts'
import { type StartService, serveWith } from '../../src/cli/serve.ts'
import type { Config } from '../../src/config/schema.ts'
import { oneGateway } from '../helpers/configuration.ts'
import { MemoryIo } from '../helpers/memory-io.ts'
import { temporaryFile } from '../helpers/temporary-folder.ts'

// Whatever the environment of whoever runs the tests says.
process.env['NO_PROXY'] = '*'

/** A promise that the test settles. `Promise.withResolvers` is not in Node 20. */
function held() {
  let resolve: (cut: number) => void = () => {}
  let reject: (reason: Error) => void = () => {}
  const promise = new Promise<number>((...both) => {
    ;[resolve, reject] = both
  })
  return { promise, resolve, reject }
}

/** A service whose drain the test holds. */
class HeldService {
  readonly steps: string[] = []
  config: Config | undefined
  readonly drained = held()
  readonly started = held()

  readonly start: StartService = async (config) => {
    this.config = config
    this.started.resolve(0)
    return {
      proxyUrl: 'http://127.0.0.1:8484',
      adminUrl: 'http://127.0.0.1:9484/',
      drain: (withinMs) => {
        this.steps.push(withinMs === undefined ? 'drain' : `drain for ${withinMs}`)
        return this.drained.promise
      },
      close: async () => void this.steps.push('close'),
    }
  }
}

function serving(start: StartService, words: string[], io: MemoryIo) {
  const entry: CommandEntry = { name: 'serve', summary: '', load: async () => serveWith(start) }
  return run(['serve', ...words], io, [entry])
}

async function running(words = ['--gateway', 'https://gateway.test/v1'], env: NodeJS.ProcessEnv = {}) {
  const io = new MemoryIo(env)
  const service = new HeldService()
  const code = serving(service.start, words, io)
  await service.started.promise
  await new Promise(setImmediate)
  return { io, service, code }
}

async function stopped({ io, service, code }: Awaited<ReturnType<typeof running>>) {
  io.signal('SIGTERM')
  service.drained.resolve(0)
  return code
}

function startLine(io: MemoryIo): Record<string, unknown> {
  return JSON.parse(io.logLines[0] ?? '{}') as Record<string, unknown>
}

test('one line tells the addresses, an example, the egress proxy and the settings', async () => {
  const served = await running()
  assert.equal(await stopped(served), 0)
  const line = startLine(served.io)
  assert.deepEqual(
    [line['level'], line['msg'], line['proxy_url'], line['admin_url'], line['example']],
    [
      30,
      'listening',
      'http://127.0.0.1:8484',
      'http://127.0.0.1:9484/',
      'http://127.0.0.1:8484/v1/chat/completions -> https://gateway.test/v1/chat/completions',
    ],
  )
  assert.deepEqual(line['egress_proxies'], { default: null })
  assert.equal((line['config'] as { proxy: { keepAlive: string } }).proxy.keepAlive, '75s')
  assert.deepEqual(
    Object.keys(line).filter((key) => key === 'pid' || key === 'hostname'),
    [],
  )
})

test('the example follows the rule for paths', async () => {
  const served = await running(['--gateway', 'https://x.test/v1beta/openai?tag=1'])
  await stopped(served)
  assert.equal(
    startLine(served.io)['example'],
    'http://127.0.0.1:8484/v1/chat/completions -> https://x.test/v1beta/openai/chat/completions',
  )
})

test('SIGTERM drains, then closes, and the exit code is 0', async () => {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    const { io, service, code } = await running()
    io.signal(signal)
    await new Promise(setImmediate)
    assert.deepEqual(service.steps, ['drain'])
    service.drained.resolve(0)
    assert.equal(await code, 0)
    assert.deepEqual([service.steps, io.exits, io.listening], [['drain', 'close'], [], 0])
    assert.deepEqual(io.messages.slice(-2), ['draining: running streams may finish', 'stopped'])
  }
})

test('streams that were cut at the end of the drain are told', async () => {
  const { io, service, code } = await running()
  io.signal('SIGTERM')
  service.drained.resolve(3)
  assert.equal(await code, 0)
  const line = JSON.parse(io.logLines.at(-2) ?? '{}')
  assert.deepEqual([line.level, line.msg, line.streams], [40, 'streams cut at the end of the drain', 3])
})

test('a second signal ends at once with 1', async () => {
  const { io, service } = await running()
  io.signal('SIGTERM')
  io.signal('SIGTERM')
  assert.deepEqual([io.exits, service.steps], [[1], ['drain']])
})

test('a fatal error is logged without its message, drains, and the exit code is 1', async () => {
  const { io, service, code } = await running()
  io.breaks(Object.assign(new Error('CANARY'), { code: 'ERR_TEST' }))
  service.drained.resolve(0)
  assert.equal(await code, 1)
  assert.deepEqual(service.steps, ['drain for 5000', 'close'])
  const line = JSON.parse(io.logLines.find((text) => text.includes('fatal error')) ?? '{}')
  assert.deepEqual([line.level, line.name, line.code], [60, 'Error', 'ERR_TEST'])
  assert.doesNotMatch(io.logLines.join(''), /CANARY/)
})

test('a fatal error while draining changes the exit code and shortens the drain', async () => {
  const { io, service, code } = await running()
  io.signal('SIGTERM')
  io.breaks(new Error('x'))
  assert.deepEqual([service.steps, io.exits], [['drain', 'drain for 5000'], []])
  service.drained.resolve(0)
  assert.equal(await code, 1)
})

test('a drain that fails is logged, and the exit code is 1', async () => {
  const { io, service, code } = await running()
  io.signal('SIGTERM')
  service.drained.reject(new Error('CANARY'))
  assert.equal(await code, 1)
  assert.ok(io.messages.includes('fatal error'))
  assert.equal(io.listening, 0)
})

const failures: readonly (readonly [string, object, RegExp])[] = [
  [
    'a port in use',
    { code: 'EADDRINUSE', syscall: 'listen', address: '127.0.0.1', port: 8484 },
    /127\.0\.0\.1 port 8484 is in use by another program; .* --port\n/,
  ],
  [
    'an admin port in use',
    { code: 'EADDRINUSE', syscall: 'listen', address: '127.0.0.1', port: 9484 },
    /port 9484 is in use .* --admin-port\n/,
  ],
  [
    'a port for root',
    { code: 'EACCES', syscall: 'listen', address: '127.0.0.1', port: 80 },
    /port 80 may not be opened by this user/,
  ],
  [
    'a foreign address',
    { code: 'EADDRNOTAVAIL', syscall: 'listen', address: '192.0.2.1', port: 8484 },
    /192\.0\.2\.1 port 8484 is no address of this machine; .* --host/,
  ],
  ['an unknown name', { code: 'ENOTFOUND', syscall: 'getaddrinfo' }, /127\.0\.0\.1 is no address of this machine/],
]

for (const [what, properties, complaint] of failures) {
  test(`${what} is told on standard error, and the exit code is 1`, async () => {
    const io = new MemoryIo()
    const start: StartService = () => Promise.reject(Object.assign(new Error('x'), properties))
    assert.equal(await serving(start, ['--gateway', 'https://x.test/v1'], io), 1)
    assert.match(io.stderr, complaint)
    assert.equal(io.listening, 0)
  })
}

test('a bad configuration is told whole; the exit code is 2 for flags, else 1', async (t: TestContext) => {
  const never: StartService = () => assert.fail('started')
  const file = temporaryFile(t, 'x.yaml', `${oneGateway}log: { level: loud }\n`)
  for (const [words, env, expected, complaint] of [
    [[], {}, 1, /^streamgauge: gateways: there is none; expected one: give --gateway URL/],
    [['--gateway', 'x'], {}, 2, /^streamgauge: --gateway: is not a URL/],
    [['--gateway', 'https://x.test', '--port', 'many'], {}, 2, /^streamgauge: --port: got "many"/],
    [[], { STREAMGAUGE_GATEWAY: 'x' }, 1, /^streamgauge: STREAMGAUGE_GATEWAY: is not a URL/],
    [['--config', file], {}, 1, /^streamgauge: log\.level: got "loud"/],
    [['--config', 'nowhere.yaml'], {}, 1, /^streamgauge: nowhere\.yaml: does not exist/],
  ] as const) {
    const io = new MemoryIo(env)
    assert.equal(await serving(never, [...words], io), expected)
    assert.match(io.stderr, complaint)
  }
})

test('what makes the proxy less safe is warned of at start', async (t) => {
  const file = temporaryFile(
    t,
    'x.yaml',
    'gateways: [{ name: a, url: https://x.test, tls: { insecure: true } }]\nadmin: { host: 0.0.0.0 }\n',
  )
  const served = await running(['--config', file])
  await stopped(served)
  const warnings = served.io.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40)
  assert.deepEqual(
    warnings.map(({ msg, gateway, host }) => [msg.split(':')[0], gateway ?? host]),
    [
      ['tls.insecure', 'a'],
      ['admin listener without a token beyond loopback', '0.0.0.0'],
    ],
  )
})

test('the log level is that of the configuration', async () => {
  const served = await running(['--gateway', 'https://x.test', '--log-level', 'error'])
  await stopped(served)
  assert.deepEqual(served.io.logLines, [])
})
