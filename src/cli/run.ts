import { nearest } from '../config/nearest.ts'
import type { CommandEntry, ExitCode } from './command.ts'
import { commands as allCommands } from './commands.ts'
import { crashLine } from './crash-line.ts'
import { commandHelp, programHelp } from './help.ts'
import type { Io } from './io.ts'
import { parse } from './parse.ts'
import { version } from './version.ts'

/** Runs the command that the words (without node and script) ask for. Never rejects. */
export async function run(
  words: readonly string[],
  io: Io,
  commands: readonly CommandEntry[] = allCommands,
): Promise<ExitCode> {
  try {
    return await dispatch(words, io, commands)
  } catch (error) {
    // What Node prints of an uncaught error shows its properties and message, which may hold keys.
    const { name, code, frames } = crashLine(error)
    io.err(
      `streamgauge: unexpected ${name}${code === undefined ? '' : ` (${code})`}\n${frames.map((frame) => `  ${frame}\n`).join('')}`,
    )
    return 1
  }
}

async function dispatch(words: readonly string[], io: Io, commands: readonly CommandEntry[]): Promise<ExitCode> {
  const [first, ...rest] = words
  if (first === undefined) {
    io.err(programHelp(commands))
    return 2
  }
  if (first === '--version' || first === '-v') {
    io.out(`${version()}\n`)
    return 0
  }
  if (first === '--help' || first === '-h' || (first === 'help' && rest.length === 0)) {
    io.out(programHelp(commands))
    return 0
  }
  const [name, ...after] = first === 'help' ? [rest[0] as string, '--help'] : words
  const entry = commands.find((command) => command.name === name)
  if (entry === undefined) return wrongUse(io, [unknown(String(name), commands)], 'streamgauge --help')
  if (after.includes('--version') && !after.includes('--')) {
    io.out(`${version()}\n`)
    return 0
  }
  const command = await entry.load()
  const parsed = parse(after, command)
  if ('faults' in parsed) return wrongUse(io, parsed.faults, `streamgauge ${entry.name} --help`)
  if (parsed.flags['help'] === true) {
    io.out(commandHelp(entry, command))
    return 0
  }
  return command.run({ ...parsed, io })
}

function wrongUse(io: Io, faults: readonly string[], help: string): ExitCode {
  for (const fault of faults) io.err(`streamgauge: ${fault}\n`)
  io.err(`Try: ${help}\n`)
  return 2
}

function unknown(written: string, commands: readonly CommandEntry[]): string {
  if (written.startsWith('-')) return `unknown option ${written}; expected a command first`
  const names = commands.map(({ name }) => name)
  const meant = nearest(written, names)
  const hint = meant === undefined ? `; expected one of ${names.join(', ')}` : `; did you mean ${meant}?`
  return `unknown command ${JSON.stringify(written)}${hint}`
}
