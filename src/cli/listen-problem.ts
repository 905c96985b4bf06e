import type { Config } from '../config/schema.ts'

/** Words for why a listener could not be opened; `undefined` if it was something else. */
export function listenProblem(error: unknown, config: Config): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, syscall, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string }
  if (syscall !== 'listen' && syscall !== 'getaddrinfo' && syscall !== 'bind') return undefined
  const admin = port === undefined ? false : port === config.admin.port && port !== config.proxy.port
  const flag = admin ? 'admin-' : ''
  const host = admin ? config.admin.host : config.proxy.host
  const where = `${address ?? host}${port === undefined ? '' : ` port ${port}`}`
  if (code === 'EADDRINUSE')
    return `${where} is in use by another program; stop it, or choose another port with --${flag}port`
  if (code === 'EACCES')
    return `${where} may not be opened by this user; choose a port of 1024 or more with --${flag}port`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `${where} is no address of this machine; choose another one with --${flag}host`
  }
  return `cannot listen on ${where} (${code ?? 'unknown error'})`
}
