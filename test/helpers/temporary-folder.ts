import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** An empty folder that is gone after the test. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'streamgauge-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A file with this content, gone after the test. */
export function temporaryFile(t: TestContext, name: string, content: string | Uint8Array): string {
  const file = join(temporaryFolder(t), name)
  writeFileSync(file, content)
  return file
}
