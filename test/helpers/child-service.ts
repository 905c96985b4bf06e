import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

export interface ServeAddresses {
  readonly proxy_url: string
  readonly admin_url: string
}

/** A program that is killed after the test. Standard output is read by who wants to; what it says on standard error is kept. */
export function startProgram(t: TestContext, program: string, words: readonly string[], options = {}): Program {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  t.after(() => child.kill('SIGKILL'))
  const started = { child, said: '' }
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    started.said += text
  })
  return started
}

export interface Program {
  readonly child: ChildProcess
  /** Standard error so far. */
  readonly said: string
}

/** Waits for the line with which `serve` tells where it listens; what it writes afterwards is read and dropped. */
export async function listening(program: Program): Promise<ServeAddresses> {
  for await (const line of createInterface({ input: program.child.stdout as NodeJS.ReadableStream })) {
    const entry = JSON.parse(line)
    if (entry.msg === 'listening') return entry
  }
  throw new Error(`ended before it listened: ${program.said}`)
}

/** Asks again and again until `wanted` says yes; the test's own time limit ends it. */
export async function until<T>(ask: () => Promise<T | undefined>, alive: () => void = () => {}): Promise<T> {
  for (;;) {
    const found = await ask().catch(() => undefined)
    if (found !== undefined) return found
    alive()
    await delay(50)
  }
}
