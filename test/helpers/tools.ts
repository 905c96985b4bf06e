import { spawnSync } from 'node:child_process'
import type { TestContext } from 'node:test'

/**
 * Whether a program that a test needs is installed; the test is skipped with a message if not. With STREAMGAUGE_REQUIRE_TOOLS=1
 * (.ci/run sets it) a missing program is a failure instead.
 */
export function requireTool(t: TestContext, tool: string): boolean {
  if (isInstalled(tool)) return true
  if (process.env['STREAMGAUGE_REQUIRE_TOOLS'] === '1')
    throw new Error(`${tool} is not installed, and STREAMGAUGE_REQUIRE_TOOLS=1`)
  t.skip(`${tool} is not installed`)
  return false
}

function isInstalled(tool: string): boolean {
  return spawnSync('sh', ['-c', 'command -v -- "$0"', tool], { stdio: 'ignore' }).status === 0
}
