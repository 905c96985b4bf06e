import type { IncomingMessage } from 'node:http'

/**
 * Whether the head names its host as RFC 9112, section 3.2, asks: exactly once in HTTP/1.1, at most once in HTTP/1.0, and one host. Two proxies
 * that each take another one for the right one can be played off against each other.
 */
export function hasProperHost(request: IncomingMessage): boolean {
  const { rawHeaders } = request
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if ((rawHeaders[i] as string).toLowerCase() !== 'host') continue
    hosts++
    // An empty one is what a client sends whose target has no host.
    if (!/^[^\s/?#@,\\]*$/.test(rawHeaders[i + 1] as string)) return false
  }
  return hosts === 1 || (hosts === 0 && request.httpVersion === '1.0')
}
