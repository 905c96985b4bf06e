import { availableParallelism } from 'node:os'
import { isLoopback } from '../config/cross-checks.ts'
import { toLoggable, withoutQuery } from '../config/loggable.ts'
import type { Config } from '../config/schema.ts'
import { gatewayTarget } from '../gateway/target.ts'
import type { Service } from '../service.ts'
import { mostOpenFiles, neededOpenFiles } from './open-files.ts'
import { version } from './version.ts'

export interface StartLine {
  readonly level: 'info' | 'warn'
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** What is logged once, when the service listens. */
export function* startLines(
  config: Config,
  service: Pick<Service, 'proxyUrl' | 'adminUrl'>,
  proxies: Readonly<Record<string, string | null>>,
  cores: number = availableParallelism(),
  openFiles: number | undefined = mostOpenFiles(),
): Iterable<StartLine> {
  const [first] = config.gateways
  yield {
    level: 'info',
    message: 'listening',
    fields: {
      version: version(),
      proxy_url: service.proxyUrl,
      admin_url: service.adminUrl,
      example: first && `${service.proxyUrl}/v1/chat/completions -> ${chatUrl(first.url)}`,
      egress_proxies: proxies,
      config: toLoggable(config),
    },
  }
  for (const { name, tls } of config.gateways) {
    if (!tls.insecure) continue
    const message =
      'tls.insecure: certificates of this gateway are not verified; whoever is on the way can read the keys'
    yield { level: 'warn', message, fields: { gateway: name } }
  }
  if (!isLoopback(config.admin.host) && config.admin.token === '') {
    const message =
      'admin listener without a token beyond loopback: everybody who can reach it sees models, apps and figures'
    yield { level: 'warn', message, fields: { host: config.admin.host } }
  }
  const { maxStreams } = config.proxy
  if (openFiles !== undefined && openFiles < neededOpenFiles(maxStreams)) {
    const message =
      'fewer open files are allowed than proxy.maxStreams needs: raise the limit (ulimit -n), or lower proxy.maxStreams'
    yield { level: 'warn', message, fields: { allowed: openFiles, needed: neededOpenFiles(maxStreams) } }
  }
  if (cores === 1 && !process.execArgv.includes('--single-threaded-gc')) {
    const message =
      'one core: garbage collection in threads delays marks by milliseconds; start node with --single-threaded-gc --max-semi-space-size=2'
    yield { level: 'info', message, fields: {} }
  }
}

/** Where `/v1/chat/completions` goes. */
function chatUrl(url: string): string {
  const { origin, path } = gatewayTarget(withoutQuery(url))
  return origin + path('/v1/chat/completions', undefined)
}
