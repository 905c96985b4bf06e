import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'

export interface PageFile {
  readonly type: string
  readonly body: Buffer
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * Nothing but our own files; no script or style in the markup; no frame around it. Trusted types: where a browser knows them, text that would
 * become markup by mistake is refused.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** The page's files by name, read once. The compiled page lies beside this file; throws where it was not built. */
export function readPageFiles(folder = new URL('./page/', import.meta.url)): ReadonlyMap<string, PageFile> {
  if (!existsSync(folder)) throw new Error('the live page is not built: npm run build')
  const names = readdirSync(folder).filter((name) => extname(name) in types)
  return new Map(
    names.map((name) => [name, { type: types[extname(name)] as string, body: readFileSync(new URL(name, folder)) }]),
  )
}
