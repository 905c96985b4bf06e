import { ConfigError, showPath } from './problems.ts'
import { resolveConfig } from './resolve.ts'
import type { Config, ConfigInput } from './schema.ts'

/** The configuration made of this input and the defaults alone. Throws a ConfigError that tells all problems. */
export function configFrom(input: ConfigInput, env: NodeJS.ProcessEnv = {}): Config {
  const resolved = resolveConfig(input, env, process.cwd())
  if ('config' in resolved) return resolved.config
  throw new ConfigError(resolved.faults.map(({ path, message }) => ({ path: showPath(path), message })))
}
