import type { IncomingMessage } from 'node:http'

/**
 * What the parser lets pass and two proxies in a row could read in two ways, so that one can be played off against the other: versions that are
 * not HTTP/1.0 or 1.1; hosts other than exactly one (RFC 9112, section 3.2); transfer codings other than chunked alone, or any in HTTP/1.0 (section 6.1).
 */
export function isProperHead(request: IncomingMessage): boolean {
  const { rawHeaders, httpVersion } = request
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return false
  let hosts = 0
  let codings = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase()
    const value = rawHeaders[i + 1] as string
    if (name === 'host') {
      hosts++
      // An empty one is what a client sends whose target has no host.
      if (!/^[^\s/?#@,\\]*$/.test(value)) return false
    } else if (name === 'transfer-encoding') {
      codings++
      if (value.trim().toLowerCase() !== 'chunked') return false
    }
  }
  if (codings > 1 || (codings === 1 && httpVersion === '1.0')) return false
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}
