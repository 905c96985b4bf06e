import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { cpus } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** The same for every Node target: those of the container image. */
export const nodeFlags = ['--single-threaded-gc', '--max-semi-space-size=2']
const ticksPerSecond = 100
const pageBytes = 4096

const hasTaskset = spawnSync('taskset', ['--version']).status === 0 && cpus().length > 1

export interface Target {
  readonly name: string
  readonly port: number
  readonly adminPort?: number
  /** What its clients must send besides, for it to know the gateway. */
  readonly headers?: Readonly<Record<string, string>>
  readonly child: ChildProcess | undefined
  stop(): Promise<void>
}

/** Starts a program on a core of its own where the machine allows; resolves with the first line it prints. */
export async function start(
  script: string,
  args: readonly string[],
  core: number,
): Promise<{ child: ChildProcess; line: string }> {
  const file = fileURLToPath(new URL(`./${script}.js`, import.meta.url))
  const child = spawnPinned(process.execPath, [...nodeFlags, file, ...args], core, true)
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  return { child, line: line.toString().trim() }
}

export function spawnPinned(command: string, args: readonly string[], core: number, ipc: boolean): ChildProcess {
  const stdio = ipc ? (['ignore', 'pipe', 'inherit', 'ipc'] as const) : (['ignore', 'pipe', 'inherit'] as const)
  const [program, words] = pinned(command, args, core)
  return spawn(program, words, { stdio: [...stdio] })
}

/** The command that runs a program on one core, where the machine allows. */
export function pinned(command: string, args: readonly string[], core: number): [string, string[]] {
  return hasTaskset ? ['taskset', ['-c', String(core), command, ...args]] : [command, [...args]]
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** CPU seconds a process (and, for haproxy and nginx, its children) has used. */
export function cpuSeconds(pid: number): number {
  return family(pid).reduce((sum, member) => {
    const fields = statOf(member)
    return sum + (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
  }, 0)
}

export function residentBytes(pid: number): number {
  return family(pid).reduce(
    (sum, member) => sum + Number(readFileSync(`/proc/${member}/statm`, 'utf8').split(' ')[1]) * pageBytes,
    0,
  )
}

/** Fields of /proc/PID/stat after the command's name. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

function family(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return [pid, ...(children === '' ? [] : children.split(' ').flatMap((child) => family(Number(child))))]
}

/** Runs the load and gives what it printed. */
export async function runLoad(task: object, core: number): Promise<Record<string, number>> {
  const file = fileURLToPath(new URL('./load.js', import.meta.url))
  const child = spawnPinned(process.execPath, [file, JSON.stringify(task)], core, false)
  let text = ''
  child.stdout?.on('data', (part: Buffer) => {
    text += part.toString()
  })
  await once(child, 'exit')
  return JSON.parse(text) as Record<string, number>
}

export async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const there = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        resolve(true)
      })
      socket.on('error', () => resolve(false))
    })
    if (there) return
    await wait(25)
  }
  throw new Error(`nothing listens on port ${port}`)
}
