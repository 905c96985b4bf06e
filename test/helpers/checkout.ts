import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './repository.ts'

// Tests are no part of what is packed; compiling them again would take the longest.
const leftOut = new Set(['.git', 'node_modules', 'dist', 'test', 'bench'])

/** A copy of the sources with the dependencies that are installed here, to build in without disturbing the tests that run from dist. */
export function checkout(folder: string): string {
  cpSync(repository, folder, {
    recursive: true,
    filter: (source) => !leftOut.has(source.slice(repository.length).split('/')[0] as string),
  })
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
