import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command, CommandEntry, Invocation } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { run } from '../../src/cli/run.ts'
import { MemoryIo } from '../helpers/memory-io.ts'
import { readSource } from '../helpers/repository.ts'

const { version } = JSON.parse(readSource('package.json')) as { version: string }

async function said(...words: string[]) {
  const io = new MemoryIo()
  const code = await run(words, io)
  return { code, out: io.stdout, err: io.stderr }
}

test('--version tells the version of the package', async () => {
  for (const words of [['--version'], ['-v'], ['check-config', '--version']]) {
    assert.deepEqual(await said(...words), { code: 0, out: `${version}\n`, err: '' })
  }
})

test('--help lists every command', async () => {
  for (const word of ['--help', '-h', 'help']) {
    const { code, out, err } = await said(word)
    assert.deepEqual([code, err], [0, ''])
    for (const { name, summary } of commands) assert.match(out, new RegExp(`^  ${name} +${summary}$`, 'm'))
  }
})

for (const { name, load } of commands) {
  test(`${name} --help tells every option and operand`, async () => {
    const command = await load()
    for (const words of [
      [name, '--help'],
      [name, '-h'],
      ['help', name],
      [name, '--help', '--nonsense'],
    ]) {
      const { code, out, err } = await said(...words)
      assert.deepEqual([code, err], [0, ''])
      for (const option of command.options) assert.ok(out.includes(`--${option.name}`), option.name)
      for (const operand of command.operands) assert.ok(out.includes(operand), operand)
    }
  })
}

test('no command at all is wrong use, and answered with the help', async () => {
  const { code, out, err } = await said()
  assert.deepEqual([code, out], [2, ''])
  assert.match(err, /usage: streamgauge COMMAND/)
})

test('a slip in a command gets a suggestion', async () => {
  assert.deepEqual(await said('chekc-config'), {
    code: 2,
    out: '',
    err: 'streamgauge: unknown command "chekc-config"; did you mean check-config?\nTry: streamgauge --help\n',
  })
  assert.match((await said('help', 'chek-config')).err, /did you mean check-config/)
  assert.match((await said('fly')).err, /unknown command "fly"; expected one of .*check-config/)
  assert.match((await said('--prot', '1')).err, /unknown option --prot; expected a command first/)
})

const trial: Command = {
  options: [
    { name: 'port', kind: 'text', placeholder: 'PORT', help: 'a port' },
    { name: 'model', kind: 'texts', placeholder: 'NAME', help: 'a model' },
    { name: 'once', kind: 'flag', help: 'once' },
  ],
  operands: ['FILE'],
  run: async ({ io, ...given }: Invocation) => {
    io.out(JSON.stringify(given))
    return 0
  },
}
const table: CommandEntry[] = [{ name: 'trial', summary: 'a trial', load: async () => trial }]

async function tried(...words: string[]) {
  const io = new MemoryIo()
  const code = await run(['trial', ...words], io, table)
  return { code, given: code === 0 ? JSON.parse(io.stdout) : undefined, err: io.stderr }
}

test('options and operands reach the command', async () => {
  for (const words of [
    ['--port', '1', '--model', 'a', '--once', 'x.yaml', '--model=b'],
    ['x.yaml', '--port=1', '--model=a', '--model', 'b', '--once'],
  ]) {
    assert.deepEqual((await tried(...words)).given, {
      text: { port: '1' },
      texts: { model: ['a', 'b'] },
      flags: { once: true },
      operands: ['x.yaml'],
    })
  }
  assert.deepEqual((await tried('--', '--port')).given.operands, ['--port'])
  assert.equal((await tried('--port=', 'f')).given.text.port, '')
})

const wrong: readonly (readonly [string[], RegExp])[] = [
  [['--prot', '1', 'f'], /unknown option --prot; did you mean --port\?/],
  [['-x', 'f'], /unknown option -x/],
  [['--port', '--once', 'f'], /--port needs a value: --port PORT/],
  [['f', '--port'], /--port needs a value: --port PORT/],
  [['--once=yes', 'f'], /--once takes no value/],
  [['--port', '1', '--port', '2', 'f'], /--port is given twice; expected once/],
  [[], /FILE is missing/],
  [['f', 'g'], /"g" is one word too many/],
]

for (const [words, complaint] of wrong) {
  test(`trial ${words.join(' ')} is wrong use`, async () => {
    const { code, err } = await tried(...words)
    assert.equal(code, 2)
    assert.match(err, complaint)
    assert.match(err, /Try: streamgauge trial --help\n$/)
  })
}

test('all faults of the words are told at once', async () => {
  const { err } = await tried('--prot', '--port')
  assert.equal(err.match(/^streamgauge: /gm)?.length, 3)
})

test('what a command did not foresee is told without the message, which may hold a key', async () => {
  const io = new MemoryIo()
  const failing: CommandEntry = {
    name: 'trial',
    summary: '',
    load: async () => ({ ...trial, operands: [], run: async () => JSON.parse('{"key": CANARY}') }),
  }
  assert.equal(await run(['trial'], io, [failing]), 1)
  assert.match(io.stderr, /^streamgauge: unexpected SyntaxError\n {2}at /)
  assert.doesNotMatch(io.stderr, /CANARY/)
})
