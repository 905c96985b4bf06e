import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { clientKeys } from './credentials.ts'

/** Whether a client may use this proxy by the name it calls it. */
export type HostCheck = (host: string | undefined) => boolean

/**
 * Against DNS rebinding: a web page can make a browser send requests to a loopback address under a name of its own. So a listener on loopback
 * without client keys answers to loopback names and the allowed ones alone.
 */
export function hostCheck(
  listenHost: string,
  allowedHosts: readonly string[],
  clientKeys: readonly string[],
): HostCheck {
  if (clientKeys.length > 0 || !isLoopbackName(listenHost)) return () => true
  const allowed = new Set(allowedHosts.map((name) => name.toLowerCase()))
  return (host) => {
    if (host === undefined || host === '') return true
    const name = withoutPort(host.toLowerCase())
    return isLoopbackName(name) || allowed.has(name)
  }
}

function isLoopbackName(name: string): boolean {
  const bare = name.replace(/^\[|\]$/g, '')
  if (bare === 'localhost' || bare.endsWith('.localhost') || bare === '::1') return true
  return isIP(bare) === 4 && bare.startsWith('127.')
}

function withoutPort(host: string): string {
  if (host.startsWith('[')) return host.slice(0, host.indexOf(']') + 1)
  return host.replace(/:\d*$/, '')
}

export type KeyCheck = (rawHeaders: readonly string[]) => boolean

/** @param hashes SHA-256 of the keys, hexadecimal; empty: no key is asked */
export function keyCheck(hashes: readonly string[]): KeyCheck {
  if (hashes.length === 0) return () => true
  const expected = hashes.map((hash) => Buffer.from(hash, 'hex'))
  return (rawHeaders) => {
    let fits = false
    for (const key of clientKeys(rawHeaders)) {
      const given = createHash('sha256').update(key).digest()
      // Every hash is compared, so that the time tells nothing of which one fits.
      for (const hash of expected) fits = timingSafeEqual(given, hash) || fits
    }
    return fits
  }
}
