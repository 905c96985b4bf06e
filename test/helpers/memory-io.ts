import type { Io } from '../../src/cli/io.ts'

/** Surroundings of a command that keep what was said and let the test send signals. */
export class MemoryIo implements Io {
  readonly env: NodeJS.ProcessEnv
  readonly interactive = false
  stdout = ''
  stderr = ''
  /** What went to the log, line by line. */
  readonly logLines: string[] = []
  /** Codes of the ends at once that were asked for. */
  readonly exits: number[] = []
  readonly #stop = new Set<(signal: string) => void>()
  readonly #fatal = new Set<(error: unknown) => void>()

  constructor(env: NodeJS.ProcessEnv = {}) {
    this.env = env
  }

  out(text: string): void {
    this.stdout += text
  }

  err(text: string): void {
    this.stderr += text
  }

  openLog() {
    return { write: (line: string) => this.logLines.push(line) > 0, close: async () => {} }
  }

  onStop(listener: (signal: string) => void): () => void {
    this.#stop.add(listener)
    return () => void this.#stop.delete(listener)
  }

  onFatal(listener: (error: unknown) => void): () => void {
    this.#fatal.add(listener)
    return () => void this.#fatal.delete(listener)
  }

  exit(code: number): void {
    this.exits.push(code)
  }

  signal(name: string): void {
    for (const listener of this.#stop) listener(name)
  }

  breaks(error: unknown): void {
    for (const listener of this.#fatal) listener(error)
  }

  /** Listeners still registered. */
  get listening(): number {
    return this.#stop.size + this.#fatal.size
  }

  /** Messages of the log, in order. */
  get messages(): string[] {
    return this.logLines.map((line) => (JSON.parse(line) as { msg: string }).msg)
  }
}
