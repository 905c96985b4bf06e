import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'

/** The same for every Node target: what the container image starts with on one core. */
const nodeFlags = ['--single-threaded-gc', '--max-semi-space-size=2']
const ticksPerSecond = 100
const pageBytes = 4096

const hasTaskset = spawnSync('taskset', ['--version']).status === 0 && cpus().length > 1

export interface Target {
  readonly name: string
  readonly port: number
  readonly adminPort?: number
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
  return hasTaskset
    ? spawn('taskset', ['-c', String(core), command, ...args], { stdio: [...stdio] })
    : spawn(command, [...args], { stdio: [...stdio] })
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
