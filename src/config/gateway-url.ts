import type * as z from 'zod'
import { hasControl } from './leaf-values.ts'

const secretParameter = /^(api[-_]?key|key|(access[-_]?)?token|secret|password|sig|signature)$/i

/** Never repeats the URL in a message: it may hold a credential. */
export function checkGatewayUrl(url: string, context: z.core.$RefinementCtx<string>): void {
  for (const fault of faultsOf(url)) context.addIssue({ code: 'custom', message: fault })
}

function* faultsOf(url: string): Iterable<string> {
  const example = 'https://openrouter.ai/api/v1'
  if (url !== url.trim() || hasControl(url) || url.includes(' ')) {
    yield `has spaces or control characters; expected a URL such as ${example}`
    return
  }
  // `URL.parse` is not in Node 20.
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined) {
    yield `is not a URL; expected one with its scheme, such as ${example}`
    return
  }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    yield `has the scheme ${JSON.stringify(parsed.protocol.slice(0, 20))}; expected http: or https:, such as ${example}`
    return
  }
  if (parsed.username !== '' || parsed.password !== '') {
    yield 'holds a user name or password; expected none (use apiKeyEnv, or headers with ${ENV})'
  }
  if (parsed.hash !== '' || url.includes('#'))
    yield 'has a fragment (#…), which is never sent; expected a URL without one'
  for (const name of new Set(parsed.searchParams.keys())) {
    if (secretParameter.test(name)) {
      yield `has the query parameter ${JSON.stringify(name)}, which looks like a secret; expected none (use apiKeyEnv, or headers with \${ENV})`
    }
  }
}
