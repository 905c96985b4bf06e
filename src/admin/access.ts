import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Tells whether an `Authorization` header holds the token: as `Bearer`, or as the password of `Basic` (any user), which browsers can ask for. */
export function tokenCheck(token: string): (authorization: string | undefined) => boolean {
  const expected = digest(token)
  return (authorization) => {
    const [, scheme, credentials] = /^(Bearer|Basic) +(\S+) *$/i.exec(authorization ?? '') ?? []
    if (scheme === undefined || credentials === undefined) return false
    // Digests have one length, whatever was sent: comparing them tells nothing by its time.
    return timingSafeEqual(digest(scheme.toLowerCase() === 'bearer' ? credentials : passwordOf(credentials)), expected)
  }
}

function passwordOf(credentials: string): string {
  const decoded = Buffer.from(credentials, 'base64').toString('utf8')
  return decoded.slice(decoded.indexOf(':') + 1)
}

export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '')
  if (name === 'localhost' || name.endsWith('.localhost') || name === '::1') return true
  return isIP(name) === 4 && name.startsWith('127.')
}

/** The name in a `Host` header, without its port. */
export function hostName(header: string | undefined): string {
  return /^(\[[^\]]*\]|[^:]*)(:\d*)?$/.exec(header ?? '')?.[1] ?? ''
}
