import { accessSync, constants, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Io } from './io.ts'

const kinds = ['json', 'markdown', 'html'] as const
type Kind = (typeof kinds)[number]

export interface OutputFile {
  readonly kind: Kind
  /** `-`: standard output. */
  readonly path: string
}

/** The files that were asked for. What cannot be written is told before anything is measured, for that may cost money. */
export function outputFiles(text: Readonly<Record<string, string | undefined>>): {
  files: OutputFile[]
  problems: string[]
} {
  const files = kinds.flatMap((kind): OutputFile[] => {
    const path = text[kind]
    return path === undefined ? [] : [{ kind, path }]
  })
  const problems = files.flatMap(({ kind, path }) => {
    const why = path === '-' ? undefined : whyNot(path)
    return why === undefined ? [] : [`--${kind} ${path}: ${why}`]
  })
  if (files.filter(({ path }) => path === '-').length > 1) problems.push('only one of --json and --markdown can be -')
  return { files, problems }
}

function whyNot(path: string): string | undefined {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
      return 'is a folder; expected a file to write'
    accessSync(dirname(path), constants.W_OK)
    return undefined
  } catch (error) {
    return `cannot be written (${(error as NodeJS.ErrnoException).code}); expected a file in a folder that is there`
  }
}

export async function writeOutputs(
  io: Io,
  files: readonly OutputFile[],
  make: Readonly<Record<Kind, () => string>>,
): Promise<void> {
  for (const { kind, path } of files) {
    if (path === '-') io.out(make[kind]())
    else {
      await writeFile(path, make[kind]())
      io.err(`written: ${path}\n`)
    }
  }
}
