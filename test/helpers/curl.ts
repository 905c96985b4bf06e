import { spawn } from 'node:child_process'
import { within } from './raw-http.ts'

export interface CurlResult {
  readonly exitCode: number | null
  readonly out: Buffer
  readonly errors: string
}

/** Runs curl; nothing of the user's configuration or environment comes into it. */
export async function curl(args: readonly string[], input?: Buffer): Promise<CurlResult> {
  const child = spawn('curl', ['-q', '--silent', '--show-error', '--noproxy', '*', ...args], { stdio: 'pipe' })
  const out: Buffer[] = []
  let errors = ''
  child.stdout.on('data', (part: Buffer) => out.push(part))
  child.stderr.on('data', (part: Buffer) => {
    errors += part.toString()
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const exited = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  const exitCode = await within(exited, 'curl').catch((error) => {
    child.kill()
    throw error
  })
  return { exitCode, out: Buffer.concat(out), errors }
}
