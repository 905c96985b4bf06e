import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Root of the source tree; tests run from dist/test. */
export const repository = fileURLToPath(new URL('../../../', import.meta.url))

export function readSource(path: string): string {
  return readFileSync(new URL(path, new URL('../../../', import.meta.url)), 'utf8')
}
