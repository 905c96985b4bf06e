import { isIPv4 } from 'node:net'
import { isCredential } from './gateway-headers.ts'
import type { Fault } from './problems.ts'
import { entriesOf, mappingOf } from './written.ts'

/** Faults that lie between keys. Reads what was written, however wrong it may be, so that no fault hides another. */
export function crossFaults(written: unknown): Fault[] {
  return [...sameNames(written), ...lentKeys(written), ...samePort(written)]
}

export function* noGateway(written: unknown): Iterable<Fault> {
  if (written !== undefined && (typeof written !== 'object' || Array.isArray(written))) return
  const gateways = mappingOf({ written }, 'written')['gateways']
  if (gateways !== undefined && !(Array.isArray(gateways) && gateways.length === 0)) return
  yield {
    path: ['gateways'],
    message:
      'there is none; expected one: give --gateway URL, set STREAMGAUGE_GATEWAY, or list it in the configuration file (--config)',
  }
}

function* sameNames(written: unknown): Iterable<Fault> {
  const seen = new Set<string>()
  for (const [index, gateway] of entriesOf(written, 'gateways').entries()) {
    const name = mappingOf({ gateway }, 'gateway')['name']
    if (typeof name !== 'string') continue
    if (seen.has(name)) {
      const message = `${JSON.stringify(name.slice(0, 80))} is the name of an earlier gateway too; expected a name of its own`
      yield { path: ['gateways', index, 'name'], message }
    }
    seen.add(name)
  }
}

/** A gateway's key would serve everybody who can reach the proxy. */
function* lentKeys(written: unknown): Iterable<Fault> {
  const proxy = mappingOf(written, 'proxy')
  const host = proxy['host'] ?? '127.0.0.1'
  if (typeof host !== 'string' || isLoopback(host) || entriesOf(proxy, 'clientKeys').length > 0) return
  for (const [index, gateway] of entriesOf(written, 'gateways').entries()) {
    const { apiKeyEnv } = mappingOf({ gateway }, 'gateway')
    const message = `would lend the gateway's key to everybody who can reach ${host}; expected proxy.clientKeys to be set, or proxy.host on loopback`
    if (typeof apiKeyEnv === 'string' && apiKeyEnv !== '') yield { path: ['gateways', index, 'apiKeyEnv'], message }
    for (const name of Object.keys(mappingOf(gateway, 'headers'))) {
      if (isCredential(name)) yield { path: ['gateways', index, 'headers', name], message }
    }
  }
}

function* samePort(written: unknown): Iterable<Fault> {
  const proxy = { host: '127.0.0.1', port: 8484, ...mappingOf(written, 'proxy') }
  const admin = { host: '127.0.0.1', port: 9484, ...mappingOf(written, 'admin') }
  if (proxy.port === 0 || proxy.port !== admin.port) return
  const everywhere = [proxy.host, admin.host].some((host) => host === '0.0.0.0' || host === '::')
  if (proxy.host === admin.host || everywhere) {
    yield { path: ['admin', 'port'], message: `${admin.port} is the proxy's port too; expected another one` }
  }
}

export function isLoopback(host: string): boolean {
  const bare = host.toLowerCase().replace(/^::ffff:/, '')
  return (
    bare === 'localhost' || bare.endsWith('.localhost') || bare === '::1' || (isIPv4(bare) && bare.startsWith('127.'))
  )
}
