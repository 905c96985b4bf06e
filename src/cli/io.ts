/** Where a command's words go and where its surroundings come from. Tests hand in their own. */
export interface Io {
  readonly env: NodeJS.ProcessEnv
  /** What the command was asked for. */
  out(text: string): void
  /** Problems and hints. */
  err(text: string): void
  /** People, not a program, read `err`. */
  readonly interactive: boolean
  /** Opens standard output for log lines, which must not hold the event loop when its reader is slow. */
  openLog(): Log
  /** Calls back for each SIGTERM and SIGINT; hands back how to stop that. */
  onStop(listener: (signal: string) => void): () => void
  /** Calls back for an exception or rejection that nothing caught; hands back how to stop that. */
  onFatal(listener: (error: unknown) => void): () => void
  /** Ends the process at once, whatever still runs. */
  exit(code: number): void
}

/** Takes whole lines, with their line feed. */
export interface Log {
  /** False: the line was dropped, for nobody reads, or too slowly. */
  write(line: string): boolean
  /** Waits a moment until all is written. */
  close(): Promise<void>
}
