import { showDuration, showSize } from './leaf-values.ts'
import type { Config } from './schema.ts'

/** What of a configuration may be shown: no keys, no header values, no queries; hashes and key lists as counts. */
export function toLoggable(config: Config) {
  return {
    gateways: config.gateways.map((gateway) => ({
      name: gateway.name,
      url: withoutQuery(gateway.url),
      headers: Object.keys(gateway.headers),
      apiKeyEnv: gateway.apiKeyEnv,
      timeouts: durations(gateway.timeouts),
      tls: gateway.tls,
      maxHeaderBytes: showSize(gateway.maxHeaderBytes),
      models: Object.keys(gateway.models).length,
    })),
    proxy: {
      host: config.proxy.host,
      port: config.proxy.port,
      maxBodyBytes: showSize(config.proxy.maxBodyBytes),
      maxHeaderBytes: showSize(config.proxy.maxHeaderBytes),
      maxStreams: config.proxy.maxStreams,
      keepAlive: showDuration(config.proxy.keepAlive),
      clientStall: showDuration(config.proxy.clientStall),
      drain: showDuration(config.proxy.drain),
      allowedHosts: config.proxy.allowedHosts,
      clientKeys: config.proxy.clientKeys.length,
      dummyKeys: config.proxy.dummyKeys.length,
    },
    admin: { host: config.admin.host, port: config.admin.port, token: config.admin.token === '' ? 'none' : 'set' },
    labels: config.labels,
    metrics: {
      defaultMetrics: config.metrics.defaultMetrics,
      slo: { ttft: config.metrics.slo.ttft.map(showDuration) },
      buckets: Object.keys(config.metrics.buckets),
    },
    log: config.log,
  }
}

/** A gateway's URL as it may be shown. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '')
}

function durations<Key extends string>(values: Readonly<Record<Key, number>>): Record<Key, string> {
  const entries = Object.entries<number>(values).map(([key, value]) => [key, showDuration(value)])
  return Object.fromEntries(entries) as Record<Key, string>
}
