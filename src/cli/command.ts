import type { Io } from './io.ts'

/** 0 well, 1 a problem was found, 2 wrong use, 3 the data do not decide. */
export type ExitCode = 0 | 1 | 2 | 3

export interface Option {
  /** Without the dashes. */
  readonly name: string
  /** `text`: takes a value; `texts`: takes one and may be repeated; `flag`: takes none. */
  readonly kind: 'text' | 'texts' | 'flag'
  /** Name of the value in the help. */
  readonly placeholder?: string
  readonly help: string
  /** Environment variable that says the same. */
  readonly variable?: string
}

/** What was written after the command's name, checked against its options and operands. */
export interface Invocation {
  readonly text: Readonly<Record<string, string | undefined>>
  readonly texts: Readonly<Record<string, readonly string[] | undefined>>
  readonly flags: Readonly<Record<string, boolean | undefined>>
  readonly operands: readonly string[]
  readonly io: Io
}

export interface Command {
  readonly options: readonly Option[]
  /** Names of the operands, all needed: `['FILE']`. */
  readonly operands: readonly string[]
  /** Shown below the options in the help. */
  readonly notes?: string
  run(invocation: Invocation): Promise<ExitCode>
}

/** A row of the table of commands. Its code is loaded when it is asked for: `--version` needs no HTTP server. */
export interface CommandEntry {
  readonly name: string
  readonly summary: string
  load(): Promise<Command>
}
