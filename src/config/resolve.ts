import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { crossFaults, noGateway } from './cross-checks.ts'
import { deepFreeze } from './freeze.ts'
import { expand, readHeaders } from './gateway-headers.ts'
import { type Fault, faultsOf, type Path } from './problems.ts'
import { type Config, configSchema } from './schema.ts'
import { entriesOf, mappingOf, withoutNothing } from './written.ts'

/** Whether a configuration without any gateway is a fault. */
export type GatewayNeed = 'needed' | 'may come from elsewhere'

/** Checks what was written (all layers merged), fills in defaults and takes secrets from the environment. Finds all faults. */
export function resolveConfig(
  written: unknown,
  env: NodeJS.ProcessEnv,
  folder: string,
  gateway: GatewayNeed = 'needed',
): { config: Config } | { faults: Fault[] } {
  const faults: Fault[] = []
  const input = withoutNothing(written)
  const read = configSchema.safeParse(input)
  if (!read.success) faults.push(...faultsOf(read.error, configSchema))
  if (gateway === 'needed') faults.push(...noGateway(input))
  faults.push(...crossFaults(input))

  // Headers, files and variables are looked at in what was written, so that they are checked even if something else is wrong.
  const gateways = entriesOf(input, 'gateways').map((gateway, index) => {
    const at: Path = ['gateways', index]
    const headers = readHeaders(mappingOf(gateway, 'headers'), [...at, 'headers'], env)
    faults.push(...headers.faults)
    return {
      headers: headers.headers,
      apiKey: readKey(gateway, at, env, faults),
      ca: readCa(gateway, at, folder, faults),
    }
  })
  const token = readToken(mappingOf(input, 'admin')['token'], env, faults)
  if (!read.success || faults.length > 0) return { faults }

  const config = {
    ...read.data,
    gateways: read.data.gateways.map((gateway, index) => {
      const { headers, apiKey, ca } = gateways[index] as (typeof gateways)[number]
      return { ...gateway, headers, apiKey, tls: { ...gateway.tls, ca } }
    }),
    admin: { ...read.data.admin, token },
  }
  return { config: deepFreeze(config) }
}

export function readKey(gateway: unknown, at: Path, env: NodeJS.ProcessEnv, faults: Fault[]): string {
  const name = mappingOf({ gateway }, 'gateway')['apiKeyEnv']
  if (typeof name !== 'string' || !/^[A-Za-z_]\w*$/.test(name)) return ''
  const set = Object.hasOwn(env, name) ? env[name] : undefined
  const key = set ?? ''
  const path = [...at, 'apiKeyEnv']
  if (key === '') {
    faults.push({
      path,
      message: `names the environment variable ${name}, which is ${set === undefined ? 'not set' : 'empty'}; expected the key in it`,
    })
  } else if (/[^\x21-\x7e]/.test(key)) {
    faults.push({
      path,
      message: `names the environment variable ${name}, which holds a space, a line break or another character that no key has; expected the key alone`,
    })
  }
  return key
}

export function readCa(gateway: unknown, at: Path, folder: string, faults: Fault[]): string {
  const written = mappingOf(gateway, 'tls')['ca']
  if (typeof written !== 'string' || written === '') return ''
  const file = resolve(folder, written)
  const path = [...at, 'tls', 'ca']
  try {
    if (!readFileSync(file, 'latin1').includes('-----BEGIN CERTIFICATE-----')) {
      faults.push({
        path,
        message: `${JSON.stringify(written.slice(0, 80))} holds no certificate; expected a PEM file (-----BEGIN CERTIFICATE-----)`,
      })
    }
  } catch (error) {
    faults.push({
      path,
      message: `${JSON.stringify(written.slice(0, 80))} cannot be read (${(error as NodeJS.ErrnoException).code}); expected a PEM file`,
    })
  }
  return file
}

function readToken(written: unknown, env: NodeJS.ProcessEnv, faults: Fault[]): string {
  if (typeof written !== 'string' || written === '') return ''
  const say = (message: string) => faults.push({ path: ['admin', 'token'], message })
  if (!/\$\{/.test(written.replaceAll('$${', ''))) {
    say('holds the token itself; expected it from the environment, such as ${ADMIN_TOKEN}')
    return ''
  }
  const token = expand(written, env, say) ?? ''
  if (/[^\x21-\x7e]/.test(token))
    say('holds a space, a line break or a character beyond ASCII; expected a token without')
  return token
}
