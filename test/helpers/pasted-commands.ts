import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { repository } from './repository.ts'

/** The commands of a shell block: its lines, joined where a quote or a backslash holds them together, and taken apart at `&&`. */
export function commandsOf(code: string): string[] {
  const commands: string[] = []
  let command = ''
  let quote = ''
  const end = (): void => {
    // What a user reads beside a command is no part of it.
    const bare = command.replace(/(^|\s)#(?![^'"]*['"]).*$/, '').trim()
    if (bare !== '') commands.push(...(quotes(bare) ? [bare] : bare.split(/\s+&&\s+/)))
    command = ''
  }
  for (let at = 0; at < code.length; at++) {
    const letter = code[at] as string
    if (quote !== '') quote = letter === quote ? '' : quote
    else if (letter === "'" || letter === '"') quote = letter
    else if (letter === '\\' && code[at + 1] === '\n') {
      at++
      continue
    } else if (letter === '\n') {
      end()
      continue
    }
    command += letter
  }
  end()
  return commands
}

const quotes = (command: string): boolean => /['"]/.test(command)

/** Words of a plain command, without a redirection. */
export function wordsOf(command: string): string[] {
  return command.replace(/\s+>{1,2}\s*\S+$/, '').split(/\s+/)
}

/** Variables that the docs take for granted, and ports that nobody else has. */
export function pastedEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(STREAMGAUGE_|NODE_TEST_|OPENAI_|ANTHROPIC_)/.test(name),
  )
  return {
    ...Object.fromEntries(own),
    STREAMGAUGE_PORT: '0',
    STREAMGAUGE_ADMIN_PORT: '0',
    OPENAI_API_KEY: 'sk-pasted',
    OPENROUTER_API_KEY: 'sk-pasted',
    TEAM_KEY: 'a long random key',
    ADMIN_TOKEN: 'a-long-random-token',
    NO_PROXY: '*',
    no_proxy: '*',
    ...more,
  }
}

export interface Finished {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

interface RunOptions {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
  /** For a program that runs until it is stopped: it is, by SIGTERM, as soon as its standard output says this. */
  readonly stopAt?: RegExp
}

/** Starting Node or a compiler takes seconds on a busy machine. */
const hangAfterMs = 60_000

/** Runs a program to its end, or kills it. */
export async function run(
  t: TestContext,
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<Finished> {
  const child = spawn(program, args, { cwd: options.cwd, env: options.env ?? pastedEnvironment(), stdio: 'pipe' })
  t.after(() => child.kill('SIGKILL'))
  const guard = setTimeout(() => child.kill('SIGKILL'), hangAfterMs)
  let stdout = ''
  let stderr = ''
  let stopping = options.stopAt === undefined
  child.stdout.on('data', (part: Buffer) => {
    stdout += part.toString()
    if (stopping || options.stopAt?.test(stdout) !== true) return
    stopping = true
    child.kill('SIGTERM')
  })
  child.stderr.on('data', (part: Buffer) => {
    stderr += part.toString()
  })
  child.stdin.end()
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  clearTimeout(guard)
  return { exitCode, stdout, stderr }
}

/** The command line program, as it was built. */
export const program = join(repository, 'dist/src/main.js')
