import type { Config } from '../config/schema.ts'
import { egressProxyFor, withoutCredentials } from '../gateway/egress.ts'
import { gatewayTarget } from '../gateway/target.ts'

/** Which egress proxy the environment names for each gateway (`null`: none), without credentials; or what is wrong with it. */
export function egressProxies(config: Config): { proxies: Record<string, string | null> } | { problem: string } {
  const proxies: Record<string, string | null> = {}
  for (const { name, url } of config.gateways) {
    const { origin } = gatewayTarget(url)
    const problem = `HTTP_PROXY, HTTPS_PROXY or ALL_PROXY: the value that holds for ${origin} is not usable; expected http://HOST:PORT (or NO_PROXY to name this host)`
    try {
      const proxy = egressProxyFor(origin)
      // SOCKS is not spoken.
      if (proxy !== undefined && proxy.protocol !== 'http:' && proxy.protocol !== 'https:') return { problem }
      proxies[name] = proxy === undefined ? null : withoutCredentials(proxy)
    } catch {
      return { problem }
    }
  }
  return { proxies }
}
