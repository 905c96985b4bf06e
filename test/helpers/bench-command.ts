import { bench } from '../../src/cli/bench.ts'
import type { Command, ExitCode } from '../../src/cli/command.ts'
import { compare } from '../../src/cli/compare.ts'
import { parse } from '../../src/cli/parse.ts'
import { MemoryIo } from './memory-io.ts'

export interface Ended {
  readonly code: ExitCode
  readonly io: MemoryIo
}

const commands: Readonly<Record<string, Command>> = { bench, compare }

/** Runs a command as the command line would. `during` is handed the surroundings at once. */
export async function runCommand(
  line: readonly string[],
  options: { env?: NodeJS.ProcessEnv; io?: MemoryIo; during?: (io: MemoryIo) => void } = {},
): Promise<Ended> {
  const io = options.io ?? new MemoryIo(options.env)
  const [name, ...words] = line as [string, ...string[]]
  const command = commands[name] as Command
  const parsed = parse(words, command)
  if ('faults' in parsed) throw new Error(parsed.faults.join('\n'))
  const ending = command.run({ ...parsed, io })
  options.during?.(io)
  return { code: await ending, io }
}
